import DBus

/// A bus as another one, on which what is sent can be changed.
class BusPath: Bus, @unchecked Sendable {
    // Guard: what subclasses keep is used only in the context of `bus`.
    let bus: any Bus

    init(_ bus: any Bus) { self.bus = bus }

    var clock: BusClock { bus.clock }

    func send(_ message: Message) { bus.send(message) }

    func perform(_ work: @escaping @Sendable () -> Void) { bus.perform(work) }

    @discardableResult
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        bus.schedule(after: delay, work)
    }

    func preconditionInContext() { bus.preconditionInContext() }

    @discardableResult
    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask { bus.call(message, timeout: timeout, reply: reply) }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        bus.subscribe(rule, handler)
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask { bus.export(at: path, includingChildren: includingChildren, handler) }

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        bus.requestName(name, done)
    }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        bus.whenDisconnected(handler)
    }

    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask { bus.watch(socket, for: event, ready) }

    func close() { bus.close() }
}
