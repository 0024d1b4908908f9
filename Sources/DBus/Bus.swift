// Q23: blocking the context blocks the bus. Q8: a call that timed out or was cancelled may still take effect.
// Q18: signals and replies of one sender keep their order, so a call made after subscribing misses nothing.

/// A connection to a message bus: it sends calls, delivers signals in order, and serves objects.
///
/// A bus is also a serial execution context with a clock. All callbacks of a bus run in its context, one after the
/// other, in the order in which their messages arrived. State that callbacks change belongs to the context; use
/// ``perform(_:)`` to access it from other threads. A callback must not block, because that blocks the bus.
///
/// All methods are safe on any thread, and none calls back before it returns. A method that is called within the
/// context may run callbacks later in the same context.
///
/// ``Connection`` connects to a real bus through libdbus, on its own thread. The loopback bus of the module
/// RxBluetoothMocks connects clients within one process, on a clock that a test controls.
public protocol Bus: AnyObject, Sendable {
    /// The clock that delays and deadlines of this bus use.
    var clock: BusClock { get }

    /// Runs work later in the bus's context, after all work that already waits.
    func perform(_ work: @escaping @Sendable () -> Void)

    /// Runs work in the bus's context after a delay on the bus's clock, unless the task is cancelled.
    @discardableResult
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask

    /// Traps if the caller does not run in the bus's context.
    func preconditionInContext()

    /// Sends a method call.
    ///
    /// `reply` runs once: with the answer, with ``DBusError/noReply(_:)`` at the deadline, or with
    /// ``DBusError/disconnected(_:)`` if the bus is lost. The deadline counts from sending. After cancelling, `reply`
    /// does not run; the receiver may still execute the call.
    @discardableResult
    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask

    /// Sends a signal or a reply. Does nothing if the bus is lost.
    func send(_ message: Message)

    /// Delivers the signals that match a rule, until the task is cancelled.
    ///
    /// Delivery starts when the bus receives the rule. To miss no change, subscribe first, and then call a method that
    /// reads the state: its reply contains all earlier changes.
    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask

    /// Serves the object at `path`, until the task is cancelled.
    ///
    /// With `includingChildren`, the handler also serves all objects below `path`, except objects that have a closer
    /// export. The handler gets each call and must answer it before the caller's time-out. Calls to objects without
    /// an export are answered with `UnknownObject`. A second export at a path replaces the first.
    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask

    /// Requests a well-known bus name. `done` gets nil if this connection owns the name, else the error.
    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void)

    /// Calls `handler` once when the bus is lost or closed; soon, if the bus is already closed.
    ///
    /// All pending calls have failed before the handler runs.
    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask

    /// Calls `ready` in the bus's context while a socket is ready, until the task is cancelled.
    ///
    /// `ready` runs repeatedly while the socket is ready, so it must receive or send packets, or cancel the task. It
    /// may also run when the socket is not ready. The bus keeps the socket open until the task is cancelled.
    func watch(_ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void)
        -> BusTask

    /// Closes the connection.
    ///
    /// Pending calls fail with ``DBusError/disconnected(_:)``; exports and subscriptions end. Messages that were sent
    /// before are still written. Closing a closed connection does nothing.
    func close()
}

/// A bus with a context that handles several messages in one turn.
package protocol TurnBasedBus: Bus {
    /// Runs work at the end of the context's present turn, after the callbacks of all messages of the turn.
    ///
    /// Returns false, and does nothing, if the caller does not run in the context.
    func performAtEndOfTurn(_ work: @escaping @Sendable () -> Void) -> Bool
}

/// An activity on a bus that can be cancelled. Releasing the task does not cancel the activity.
public struct BusTask: Sendable {
    private let cancelWork: @Sendable () -> Void

    /// Makes a task from the function that cancels it.
    ///
    /// The function must be safe to call repeatedly and on any thread.
    public init(_ cancel: @escaping @Sendable () -> Void) { cancelWork = cancel }

    /// Cancels the task.
    ///
    /// If the caller runs in the bus's context, the task's callback does not run afterwards. If the caller runs on
    /// another thread, a callback that is already running may still finish.
    public func cancel() { cancelWork() }
}
