import DBus

/// State that belongs to the context of a bus, and may be passed through other threads.
///
/// Classes that belong to a bus context are not `Sendable`, so the compiler rejects them in code of other threads. To
/// pass such an object through other threads, code wraps it in this type. The type traps if the value is accessed
/// outside the context.
struct Confined<Value>: @unchecked Sendable {
    // Guard: every access checks that it happens in the context of `bus`.
    private let bus: any Bus
    private let confined: Value

    init(_ value: Value, to bus: any Bus) {
        self.bus = bus
        confined = value
    }

    /// The value. Traps outside the context of its bus.
    var value: Value {
        bus.preconditionInContext()
        return confined
    }

    /// Wraps another value that belongs to the same context.
    func sibling<Other>(_ value: Other) -> Confined<Other> { Confined<Other>(value, to: bus) }

    /// Returns the value if it belongs to the context of a bus; nil if it belongs to another bus.
    func value(in context: BusContext) -> Value? { context.isContext(of: bus) ? value : nil }

    /// Runs work with the value in the context of its bus, after all work that already waits there.
    func perform(_ work: @escaping @Sendable (Value) -> Void) {
        bus.perform { [self] in work(value) }
    }
}

/// The interface of a bus for code in its context.
///
/// Callbacks also run in the context, so they may use state that is not `Sendable`. The methods do the same as those of
/// `Bus` with the same name. Methods with a callback trap if they are called outside the context.
struct BusContext {
    private let bus: any Bus
    private let turns: (any TurnBasedBus)?

    init(_ bus: any Bus) {
        self.bus = bus
        turns = bus as? any TurnBasedBus
    }

    func perform(_ work: @escaping () -> Void) {
        let work = confined(work)
        bus.perform { work.value() }
    }

    /// Runs work at the end of the context's present turn. Returns false, and does nothing, if the bus has no turns.
    func performAtEndOfTurn(_ work: @escaping () -> Void) -> Bool {
        guard let turns else { return false }
        let work = confined(work)
        return turns.performAtEndOfTurn { work.value() }
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

    /// Returns a callback for code outside the context. The callback runs `work` in the context.
    func callback<Argument: Sendable>(_ work: @escaping (Argument) -> Void) -> @Sendable (Argument) -> Void {
        let work = confined(work)
        return { argument in work.perform { $0(argument) } }
    }

    /// Returns whether this is the context of a bus.
    func isContext(of other: any Bus) -> Bool { bus === other }

    /// Wraps a value of this context for code outside of the context.
    func confined<Value>(_ value: Value) -> Confined<Value> {
        bus.preconditionInContext()
        return Confined(value, to: bus)
    }
}
