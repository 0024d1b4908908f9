import DBus
import RxBluetoothSupport

/// Delivery of messages to a peer, in the bus's context.
extension LoopbackPeer {
    var isLost: Bool { lost != nil }

    func place(_ call: LoopbackCall, _ message: Message) {
        if let lost { return call.finish(.failure(lost)) }
        guard !call.isFinished else { return }
        let stamped = message.stamped(serial: nextSerial(), sender: uniqueName)
        let number = stamped.serial
        pending[number] = call
        call.onClosed { [weak self] in self?.forget(number) }
        router.route(stamped, from: self)
    }

    func forget(_ number: UInt32) {
        context.perform { self.pending[number] = nil }
    }

    func forget(_ export: LoopbackExport, at path: ObjectPath) {
        context.perform {
            if self.exports[path] === export { self.exports[path] = nil }
        }
    }

    /// Handles a reply. Ignores it if no call waits for it.
    func accept(answer: Message) {
        let call = pending.removeValue(forKey: answer.replySerial)
        call?.finish(answer.error.map(Result.failure) ?? .success(answer))
    }

    /// Fails a call that will never be answered.
    func abandon(_ serial: UInt32, _ error: DBusError) {
        pending.removeValue(forKey: serial)?.finish(.failure(error))
    }

    /// Passes a call to the export that is closest to its path.
    func accept(call: Message) {
        guard let path = call.path else { return }
        if call.interface == "org.freedesktop.DBus.Peer", call.member == "Ping" {
            return IncomingCall(call, on: self).reply()
        }
        var place = path
        while true {
            if let export = exports[place], !export.ended.isRaised, place == path || export.includingChildren {
                return export.handler(IncomingCall(call, on: self))
            }
            if place == .root { break }
            place = place.parent
        }
        IncomingCall(call, on: self).fail(
            DBusError(name: DBusError.Name.unknownObject, message: BusErrorTexts.unknownMethod(call)))
    }

    /// Fails all pending calls, then calls the disconnect handlers.
    func lose(_ error: DBusError) {
        guard lost == nil else { return }
        lost = error
        router.subscriptions.removeAll(of: self)
        exports = [:]
        let calls = pending.sorted { $0.key < $1.key }
        pending = [:]
        for (_, call) in calls { call.finish(.failure(error)) }
        let watchers = watchers
        self.watchers = []
        for watcher in watchers { watcher.notify(error) }
    }
}

/// Sockets.
extension LoopbackPeer {
    /// Polls the socket every millisecond, because the kernel's clock is not the bus's clock.
    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask {
        let isCancelled = OneShotFlag()
        look(isCancelled) { withExtendedLifetime(socket, ready) }
        return BusTask { isCancelled.raise() }
    }

    private func look(_ isCancelled: OneShotFlag, _ ready: @escaping @Sendable () -> Void) {
        _ = context.schedule(after: .milliseconds(1)) { [weak self] in
            guard !isCancelled.isRaised else { return }
            ready()
            if !isCancelled.isRaised { self?.look(isCancelled, ready) }
        }
    }
}
