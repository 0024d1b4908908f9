import DBus

/// A bus as code in its context uses it: callbacks run there too, so they may use state that is not `Sendable`.
///
/// Its methods trap outside the context, and do what those of `Bus` with the same name do.
struct BusContext {
    private let bus: any Bus

    init(_ bus: any Bus) { self.bus = bus }

    var clock: BusClock { bus.clock }

    func perform(_ work: @escaping () -> Void) {
        let work = confined(work)
        bus.perform { work.value() }
    }

    @discardableResult
    func schedule(after delay: Duration, _ work: @escaping () -> Void) -> BusTask {
        let work = confined(work)
        return bus.schedule(after: delay) { work.value() }
    }

    @discardableResult
    func call(
        _ message: Message, timeout: Duration, reply: @escaping (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        let reply = confined(reply)
        return bus.call(message, timeout: timeout) { reply.value($0) }
    }

    func send(_ message: Message) { bus.send(message) }

    func subscribe(_ rule: MatchRule, _ handler: @escaping (Message) -> Void) -> BusTask {
        let handler = confined(handler)
        return bus.subscribe(rule) { handler.value($0) }
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping (IncomingCall) -> Void
    ) -> BusTask {
        let handler = confined(handler)
        return bus.export(at: path, includingChildren: includingChildren) { handler.value($0) }
    }

    func watchOwner(of name: String, _ handler: @escaping (String?) -> Void) -> BusTask {
        let handler = confined(handler)
        return bus.watchOwner(of: name) { handler.value($0) }
    }

    func whenDisconnected(_ handler: @escaping (DBusError) -> Void) -> BusTask {
        let handler = confined(handler)
        return bus.whenDisconnected { handler.value($0) }
    }

    func watch(_ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping () -> Void) -> BusTask {
        let ready = confined(ready)
        return bus.watch(socket, for: event) { ready.value() }
    }

    func close() { bus.close() }

    /// A callback for code outside the context. It runs `work` in the context.
    func callback<Argument: Sendable>(_ work: @escaping (Argument) -> Void) -> @Sendable (Argument) -> Void {
        let work = confined(work)
        return { argument in work.perform { $0(argument) } }
    }

    /// Whether this is the context of a bus.
    func isContext(of other: any Bus) -> Bool { bus === other }

    /// A value of this context, for code outside of it.
    func confined<Value>(_ value: Value) -> Confined<Value> {
        bus.preconditionInContext()
        return Confined(value, to: bus)
    }
}
