public import DBus

/// One party of a ``LoopbackBus``.
public final class LoopbackConnection: Bus, @unchecked Sendable {
    // Guard: the mutable state is read and changed only in the hub's serial context, which each access checks.

    /// The name that the bus gave this party, for example `:1.0`.
    public let uniqueName: String

    let hub: Hub
    private var serial: UInt32 = 0
    private var pending: [UInt32: PendingCall] = [:]
    private var exports: [ObjectPath: Export] = [:]
    private var watchers: [DisconnectWatcher] = []
    private var lost: DBusError?

    init(uniqueName: String, hub: Hub) {
        self.uniqueName = uniqueName
        self.hub = hub
    }

    private var context: SerialContext { hub.context }

    /// Runs work in the bus's context, after everything that already waits there.
    public func perform(_ work: @escaping @Sendable () -> Void) { context.perform(work) }

    /// Runs work in the bus's context after a delay on the scheduler's clock.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        context.schedule(after: delay, work)
    }

    /// Traps where the caller does not run in the bus's context.
    public func preconditionInContext() {
        precondition(context.isCurrent, "This must run in the context of the loop-back bus.")
    }

    /// Sends a call and brings its answer.
    @discardableResult
    public func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        let call = PendingCall(reply)
        let deadline = context.schedule(after: timeout) { call.finish(.failure(.noReply(Texts.noReply))) }
        call.whenOver { deadline.cancel() }
        context.perform { self.place(call, message) }
        return BusTask { call.drop() }
    }

    /// Sends a signal or a reply.
    public func send(_ message: Message) {
        context.perform {
            guard self.lost == nil else { return }
            self.hub.route(message.stamped(serial: self.nextSerial(), sender: self.uniqueName), from: self)
        }
    }

    /// Delivers the signals that fit a rule.
    public func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        let subscription = Subscription(rule, party: self, handler)
        context.perform {
            guard self.lost == nil else { return }
            self.hub.subscriptions.add(subscription)
        }
        return BusTask { [hub] in
            subscription.ended.raise()
            hub.context.perform { hub.subscriptions.remove(subscription) }
        }
    }

    /// Serves the object at a path.
    public func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask {
        let export = Export(includingChildren: includingChildren, handler: handler)
        context.perform {
            guard self.lost == nil else { return }
            self.exports[path] = export
        }
        return BusTask { [weak self] in
            export.ended.raise()
            self?.forget(export, at: path)
        }
    }

    /// Asks for a well-known name.
    public func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        context.perform {
            if let lost = self.lost { return done(lost) }
            switch self.hub.request(name, for: self, queued: false, replacing: false) {
            case .primaryOwner, .alreadyOwner: done(nil)
            default: done(DBusError(name: Texts.nameTakenName, message: Texts.nameTaken(name)))
            }
        }
    }

    /// Calls `handler` once when the connection is lost or closed.
    public func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        let watcher = DisconnectWatcher(handler)
        context.perform {
            if let lost = self.lost { watcher.tell(lost) } else { self.watchers.append(watcher) }
        }
        return BusTask { watcher.ended.raise() }
    }

    /// Ends the connection.
    public func close() {
        context.perform {
            guard self.lost == nil else { return }
            self.hub.leave(self)
            self.lose(.disconnected(Texts.closed))
        }
    }
}

// What happens in the context.
extension LoopbackConnection {
    var isLost: Bool { lost != nil }

    private func nextSerial() -> UInt32 {
        serial += 1
        return serial
    }

    private func place(_ call: PendingCall, _ message: Message) {
        if let lost { return call.finish(.failure(lost)) }
        guard !call.isOver else { return }
        let stamped = message.stamped(serial: nextSerial(), sender: uniqueName)
        let number = stamped.serial
        pending[number] = call
        call.whenOver { [weak self] in self?.forget(number) }
        hub.route(stamped, from: self)
    }

    private func forget(_ number: UInt32) {
        context.perform { self.pending[number] = nil }
    }

    private func forget(_ export: Export, at path: ObjectPath) {
        context.perform {
            if self.exports[path] === export { self.exports[path] = nil }
        }
    }

    /// Takes the answer to a call; ignores it where nobody waits for it any more.
    func accept(answer: Message) {
        let call = pending.removeValue(forKey: answer.replySerial)
        call?.finish(answer.error.map(Result.failure) ?? .success(answer))
    }

    /// Ends a call that will never be answered.
    func abandon(_ serial: UInt32, _ error: DBusError) {
        pending.removeValue(forKey: serial)?.finish(.failure(error))
    }

    /// Takes a call, which the export that is closest to its path gets.
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
            DBusError(name: DBusError.Name.unknownObject, message: Texts.unknownMethod(call)))
    }

    /// Fails everything in flight, then tells those who watch.
    func lose(_ error: DBusError) {
        guard lost == nil else { return }
        lost = error
        hub.subscriptions.removeAll(of: self)
        exports = [:]
        let calls = pending.sorted { $0.key < $1.key }
        pending = [:]
        for (_, call) in calls { call.finish(.failure(error)) }
        let watchers = watchers
        self.watchers = []
        for watcher in watchers { watcher.tell(error) }
    }
}
