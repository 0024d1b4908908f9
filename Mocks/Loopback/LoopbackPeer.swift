import DBus
import RxBluetoothSupport

/// One connection to a loop-back bus, as its router sees it.
final class LoopbackPeer: Bus, @unchecked Sendable {
    // Guard: mutable state is used only in the router's serial context, which each access checks.

    let uniqueName: String

    let router: LoopbackRouter
    private var serial: UInt32 = 0
    var pending: [UInt32: LoopbackCall] = [:]
    var exports: [ObjectPath: LoopbackExport] = [:]
    var watchers: [PeerDisconnectHandler] = []
    var lost: DBusError?

    init(uniqueName: String, router: LoopbackRouter) {
        self.uniqueName = uniqueName
        self.router = router
    }

    var context: SerialContext { router.context }
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
        let call = LoopbackCall(reply)
        let deadline = context.schedule(after: timeout) { call.finish(.failure(.noReply(BusErrorTexts.noReply))) }
        call.onClosed { deadline.cancel() }
        context.perform { self.place(call, message) }
        return BusTask { call.drop() }
    }

    func send(_ message: Message) {
        context.perform {
            guard self.lost == nil else { return }
            self.router.route(message.stamped(serial: self.nextSerial(), sender: self.uniqueName), from: self)
        }
    }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        let subscription = LoopbackSubscription(rule, peer: self, handler)
        context.perform {
            guard self.lost == nil else { return }
            self.router.subscriptions.add(subscription)
        }
        return BusTask { [router] in
            subscription.ended.raise()
            router.context.perform { router.subscriptions.remove(subscription) }
        }
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask {
        let export = LoopbackExport(includingChildren: includingChildren, handler: handler)
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
            switch self.router.request(name, for: self) {
            case .primaryOwner, .alreadyOwner: done(nil)
            default:
                let text = BusErrorTexts.nameTaken(name, by: self.router.owner(of: name) ?? "another connection")
                done(DBusError(name: BusErrorTexts.nameTakenName, message: text))
            }
        }
    }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        let watcher = PeerDisconnectHandler(handler)
        context.perform {
            if let lost = self.lost { watcher.notify(lost) } else { self.watchers.append(watcher) }
        }
        return BusTask { watcher.ended.raise() }
    }

    func close() {
        context.perform {
            guard self.lost == nil else { return }
            self.router.leave(self)
            self.lose(.disconnected(BusErrorTexts.closed))
        }
    }

    func nextSerial() -> UInt32 {
        serial += 1
        return serial
    }
}
