import DBus

/// What a loop-back bus knows of one of its parties.
final class Party: Bus, @unchecked Sendable {
    // Guard: the mutable state is read and changed only in the hub's serial context, which each access checks.

    let uniqueName: String

    let hub: Hub
    private var serial: UInt32 = 0
    var pending: [UInt32: PendingCall] = [:]
    var exports: [ObjectPath: Export] = [:]
    var watchers: [DisconnectWatcher] = []
    var lost: DBusError?

    init(uniqueName: String, hub: Hub) {
        self.uniqueName = uniqueName
        self.hub = hub
    }

    var context: SerialContext { hub.context }
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
        let call = PendingCall(reply)
        let deadline = context.schedule(after: timeout) { call.finish(.failure(.noReply(Texts.noReply))) }
        call.whenOver { deadline.cancel() }
        context.perform { self.place(call, message) }
        return BusTask { call.drop() }
    }

    func send(_ message: Message) {
        context.perform {
            guard self.lost == nil else { return }
            self.hub.route(message.stamped(serial: self.nextSerial(), sender: self.uniqueName), from: self)
        }
    }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
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

    func export(
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

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        context.perform {
            if let lost = self.lost { return done(lost) }
            switch self.hub.request(name, for: self) {
            case .primaryOwner, .alreadyOwner: done(nil)
            default:
                let text = Texts.nameTaken(name, by: self.hub.owner(of: name) ?? "another connection")
                done(DBusError(name: Texts.nameTakenName, message: text))
            }
        }
    }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        let watcher = DisconnectWatcher(handler)
        context.perform {
            if let lost = self.lost { watcher.tell(lost) } else { self.watchers.append(watcher) }
        }
        return BusTask { watcher.ended.raise() }
    }

    func close() {
        context.perform {
            guard self.lost == nil else { return }
            self.hub.leave(self)
            self.lose(.disconnected(Texts.closed))
        }
    }

    func nextSerial() -> UInt32 {
        serial += 1
        return serial
    }
}
