import DBus

/// One connection to a loop-back bus, as its router sees it.
final class LoopbackPeer: Bus, @unchecked Sendable {
    // Guard: mutable state is used only in the router's serial context, which each access checks.

    let uniqueName: String

    let router: LoopbackRouter
    private var serial: UInt32 = 0
    private var pending: [UInt32: SentCall] = [:]
    private var exports = ExportTable()
    private var disconnectHandlers: [DisconnectHandler] = []
    /// Why the connection has closed; nil while it is open.
    private var lost: DBusError?

    /// A call that has been sent, and the timer of its deadline.
    private struct SentCall {
        let reply: PendingReply
        let deadline: BusTask
    }

    init(uniqueName: String, router: LoopbackRouter) {
        self.uniqueName = uniqueName
        self.router = router
    }

    var context: SerialContext { router.context }
    /// The number of objects that the connection serves.
    var exportCount: Int { exports.count }
    var clock: BusClock { context.clock }

    func perform(_ work: @escaping @Sendable () -> Void) { context.perform(work) }

    @discardableResult
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        context.schedule(after: delay, work)
    }

    func preconditionInContext() {
        precondition(context.isCurrent, "This must run in the context of the loop-back bus.")
    }

    @discardableResult
    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        let call = PendingReply(reply)
        let deadline = context.schedule(after: timeout) { [weak self] in
            self?.finish(call, .failure(.noReply(BusErrorTexts.noReply)))
        }
        context.perform { self.start(SentCall(reply: call, deadline: deadline), message) }
        return BusTask {
            guard call.end() else { return }
            deadline.cancel()
            self.context.perform { self.drop(call) }
        }
    }

    func send(_ message: Message) {
        context.perform {
            guard !self.isLost else { return }
            self.router.route(message.stamped(serial: self.nextSerial(), sender: self.uniqueName), from: self)
        }
    }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        let subscription = LoopbackSubscription(rule, peer: self, handler)
        context.perform {
            guard !self.isLost else { return }
            self.router.subscriptions.add(subscription)
        }
        return BusTask { [router] in
            subscription.ended.end()
            router.context.perform { router.subscriptions.remove(subscription) }
        }
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask {
        let export = ExportTable.Export(includesChildren: includingChildren, handler)
        context.perform {
            if !self.isLost { self.exports.insert(export, at: path) }
        }
        return BusTask { [weak self] in
            guard export.end(), let self else { return }
            context.perform { self.exports.remove(export, at: path) }
        }
    }

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        context.perform {
            if let lost = self.lost { return done(lost) }
            switch self.router.request(name, for: self) {
            case .primaryOwner, .alreadyOwner: done(nil)
            default:
                let text = BusErrorTexts.nameTaken(name, by: self.router.owner(of: name) ?? "another connection")
                done(DBusError(name: BusErrorTexts.nameTakenName, message: text))
            }
        }
    }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        let entry = DisconnectHandler(handler)
        context.perform {
            if let lost = self.lost { entry.run(lost) } else { self.disconnectHandlers.append(entry) }
        }
        return BusTask { [weak self] in
            guard entry.end(), let self else { return }
            context.perform {
                entry.release()
                self.disconnectHandlers.removeAll { $0 === entry }
            }
        }
    }

    func close() {
        context.perform {
            guard !self.isLost else { return }
            self.router.leave(self)
            self.lose(.disconnected(BusErrorTexts.closed))
        }
    }

    private func nextSerial() -> UInt32 {
        serial += 1
        return serial
    }

    // MARK: In the bus's context

    var isLost: Bool { lost != nil }

    private func start(_ call: SentCall, _ message: Message) {
        guard !call.reply.isEnded else { return }
        if let lost {
            call.deadline.cancel()
            return call.reply.settle(.failure(lost))
        }
        let stamped = message.stamped(serial: nextSerial(), sender: uniqueName)
        call.reply.serial = stamped.serial
        pending[stamped.serial] = call
        router.route(stamped, from: self)
    }

    private func finish(_ call: PendingReply, _ result: Result<Message, DBusError>) {
        pending.removeValue(forKey: call.serial)?.deadline.cancel()
        call.settle(result)
    }

    private func drop(_ call: PendingReply) {
        pending[call.serial] = nil
        call.clear()
    }

    /// Handles a reply. Ignores it if no call waits for it.
    func receiveReply(_ reply: Message) {
        guard let call = pending[reply.replySerial] else { return }
        finish(call.reply, reply.error.map(Result.failure) ?? .success(reply))
    }

    /// Fails a call that will never be answered.
    func failCall(_ serial: UInt32, _ error: DBusError) {
        guard let call = pending[serial] else { return }
        finish(call.reply, .failure(error))
    }

    /// Passes a call to the export that serves its path.
    func serve(_ call: Message) {
        guard let path = call.path else { return }
        let incoming = IncomingCall(call, on: self)
        if incoming.answersPeerCall() { return }
        guard let export = exports.export(for: path) else {
            return incoming.fail(
                DBusError(name: DBusError.Name.unknownObject, message: BusErrorTexts.unknownMethod(call)))
        }
        export.serve(incoming)
    }

    /// Fails all pending calls, then calls the disconnect handlers.
    func lose(_ error: DBusError) {
        guard lost == nil else { return }
        lost = error
        router.subscriptions.removeAll(of: self)
        exports.removeAll()
        let calls = pending.sorted { $0.key < $1.key }
        pending = [:]
        for (_, call) in calls {
            call.deadline.cancel()
            call.reply.settle(.failure(error))
        }
        let handlers = disconnectHandlers
        disconnectHandlers = []
        for handler in handlers { handler.run(error) }
    }
}
