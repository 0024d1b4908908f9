/// A real message bus, spoken to through libdbus.
///
/// One thread of its own, `rxbt-dbus`, is the bus's context and the only one that touches the connection; it sleeps while
/// nothing happens. A process needs one connection (Q11). Letting the last reference go closes it; a handler that
/// holds the connection strongly keeps it open until it is cancelled or ``close()`` is called. Work handed to
/// ``perform(_:)`` and ``schedule(after:_:)`` still runs after the connection has ended.
public final class Connection: Bus {
    private let core: Core

    private init(_ core: Core) { self.core = core }

    deinit { core.close() }

    /// Connects to a bus. Never blocks and never fails by itself: what is sent and subscribed meanwhile goes out once
    /// the bus has greeted us. Where that does not come about, everything in flight fails, and
    /// ``whenDisconnected(_:)`` tells, with libdbus's name for the cause instead of `Disconnected`: `FileNotFound` or
    /// `NoServer` (no bus there), `AccessDenied`, `AuthFailed` (the bus closed the connection twice instead of
    /// authenticating us, Q16), `BadAddress`, `LimitsExceeded` (Q11), or `NoReply` where it is silent for `timeout`.
    public static func open(_ address: Address = .system, timeout: Duration = .seconds(5)) -> Connection {
        let core = Core()
        core.open(address, timeout: timeout)
        return Connection(core)
    }

    /// Our unique name on the bus, such as `:1.42`; nil before the bus has greeted us. Present in every callback that a
    /// message of the bus caused.
    public var uniqueName: String? { core.uniqueName }

    /// The kernel's monotonic clock.
    public var clock: BusClock { .monotonic }

    /// Runs work on the bus's thread, as ``Bus/perform(_:)`` says.
    public func perform(_ work: @escaping @Sendable () -> Void) { core.perform(work) }

    /// Runs work on the bus's thread after a delay of real, monotonic time; it may be late by a millisecond.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        core.schedule(after: delay, work)
    }

    /// Traps where the caller is not on the bus's thread.
    public func preconditionInContext() { core.preconditionInContext() }

    /// Sends a call, as ``Bus/call(_:timeout:reply:)`` says. At most 64 are in flight; the rest wait for their turn, in
    /// order and before their deadlines begin, for a system bus grants 128 to a connection (Q9).
    @discardableResult
    public func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask { core.call(message, timeout: timeout, reply: reply) }

    /// Sends a signal or a reply, as ``Bus/send(_:)`` says. Neither waits for a turn as calls do.
    public func send(_ message: Message) { core.send(message) }

    /// Delivers signals, as ``Bus/subscribe(_:_:)`` says. A rule that is not valid (``MatchRule/text()``) is a
    /// programmer's error. A bus refuses more than 512 different rules a connection (Q10), silently here.
    public func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        core.subscribe(rule, handler)
    }

    /// Serves objects, as ``Bus/export(at:includingChildren:_:)`` says. libdbus itself answers pings.
    public func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask { core.export(at: path, includingChildren: includingChildren, handler) }

    /// Asks for a well-known name, without waiting in line for it. Where another connection has it, the error is
    /// `AddressInUse` and says whose it is.
    public func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        core.requestName(name, done)
    }

    /// Tells of the end, as ``Bus/whenDisconnected(_:)`` says.
    public func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        core.whenDisconnected(handler)
    }

    /// Tells when a socket is ready, as ``Bus/watch(_:for:_:)`` says. The kernel wakes the bus's thread for it.
    public func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask { core.watch(socket, for: event, ready) }

    /// Ends the connection, as ``Bus/close()`` says. What an open connection still has to write gets a second for it;
    /// calls that wait for their turn are not sent.
    public func close() { core.close() }
}
