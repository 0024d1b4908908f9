public import DBus

/// A connection to a ``LoopbackBus``. Letting the last reference to it go closes it, as it does a real one; a handler
/// that holds it strongly keeps it open.
public final class LoopbackConnection: Bus {
    private let party: Party

    init(_ party: Party) { self.party = party }

    deinit { party.close() }

    /// The name that the bus gave this party, for example `:1.0`.
    public var uniqueName: String { party.uniqueName }

    /// The scheduler's clock: its `now` in virtual time, and the kernel's monotonic clock in real time.
    public var clock: BusClock { party.clock }

    /// Runs work in the bus's context, after everything that already waits there.
    public func perform(_ work: @escaping @Sendable () -> Void) { party.perform(work) }

    /// Runs work in the bus's context after a delay on the scheduler's clock.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        party.schedule(after: delay, work)
    }

    /// Traps where the caller does not run in the bus's context.
    public func preconditionInContext() { party.preconditionInContext() }

    /// Sends a call, as ``Bus/call(_:timeout:reply:)`` says.
    @discardableResult
    public func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask { party.call(message, timeout: timeout, reply: reply) }

    /// Sends a signal or a reply.
    public func send(_ message: Message) { party.send(message) }

    /// Delivers signals, as ``Bus/subscribe(_:_:)`` says.
    public func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        party.subscribe(rule, handler)
    }

    /// Serves objects, as ``Bus/export(at:includingChildren:_:)`` says.
    public func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask { party.export(at: path, includingChildren: includingChildren, handler) }

    /// Asks for a well-known name, as ``Bus/requestName(_:_:)`` says.
    public func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        party.requestName(name, done)
    }

    /// Tells of the end, as ``Bus/whenDisconnected(_:)`` says.
    public func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        party.whenDisconnected(handler)
    }

    /// Tells when a socket may be ready, as ``Bus/watch(_:for:_:)`` says: in each millisecond of the bus's clock, which no
    /// socket may stop or outrun, so that a simulation repeats.
    public func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask { party.watch(socket, for: event, ready) }

    /// Ends the connection, as ``Bus/close()`` says.
    public func close() { party.close() }
}
