/// A connection to a message bus, as everything above libdbus sees it: it sends a call and brings one reply, delivers
/// matching signals in order, and serves objects of this process.
///
/// A bus is also a serial context with a clock. Every callback of a bus runs in its context, one after the other, in
/// the order in which the messages came: a reply after a signal is seen after it. Whoever keeps state that callbacks
/// change keeps it in the context, and reaches it from elsewhere by ``perform(_:)``. A callback must not block, for it
/// blocks the bus (Q23). The methods here may be called from any thread; none calls back before it returns, except that
/// a method called within the context may run callbacks later in that same context.
///
/// There are two: ``Connection`` speaks to a real bus through libdbus on a thread of its own, and the loop-back bus of
/// the mocks joins parties within one process on a clock that a test can turn.
public protocol Bus: AnyObject, Sendable {
    /// The clock that its delays and deadlines run on.
    var clock: BusClock { get }

    /// Runs work in the bus's context, after everything that already waits there. Never runs it before returning.
    func perform(_ work: @escaping @Sendable () -> Void)

    /// Runs work in the bus's context after a delay on the bus's clock, unless it is cancelled before.
    @discardableResult
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask

    /// Traps where the caller does not run in the bus's context. A guard for state that lives there.
    func preconditionInContext()

    /// Sends a call. `reply` gets its answer, once, or ``DBusError/noReply(_:)`` at the deadline, or
    /// ``DBusError/disconnected(_:)`` where the bus goes away. After cancelling it gets nothing, but the
    /// receiver may have acted all the same (Q8). The deadline runs from the moment of sending.
    @discardableResult
    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask

    /// Sends a signal or a reply, to which no answer comes. Dropped silently where the bus has gone away.
    func send(_ message: Message)

    /// Delivers the signals that fit a rule until the task is cancelled, from the moment at which the rule reaches the
    /// bus: a call made afterwards is answered after every signal that its answer does not hold yet (Q18).
    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask

    /// Serves the object at `path`, and with `includingChildren` everything below it that no closer export serves, until
    /// the task is cancelled. The handler gets each call and must answer it in time; calls to objects that
    /// nobody serves are answered `UnknownObject`. Only one export at a path; a second one replaces the first.
    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask

    /// Asks for a well-known name. `done` gets nil where this connection owns it, or why not.
    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void)

    /// Calls `handler` once when the connection to the bus is lost or closed; at once where it already is.
    /// Everything in flight has failed with ``DBusError/disconnected(_:)`` before.
    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask

    /// Tells in the bus's context when a socket is ready, and again while it stays so, until the task is cancelled: whoever
    /// hears it takes what is there, or cancels. It may be told in vain. The socket is kept open until then.
    func watch(_ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void)
        -> BusTask

    /// Ends the connection: what waits fails with ``DBusError/disconnected(_:)``, exports and subscriptions end. What
    /// was sent before is still written out. Repeating it does nothing.
    func close()
}

/// Something under way on a bus that can be called off. Letting it go does not call it off.
public struct BusTask: Sendable {
    private let cancelWork: @Sendable () -> Void

    /// Makes a task from what cancelling it does; that must bear repetition, on any thread.
    public init(_ cancel: @escaping @Sendable () -> Void) { cancelWork = cancel }

    /// Calls the task off. Within the bus's context its callback does not run afterwards; elsewhere a callback that
    /// is already running may still end.
    public func cancel() { cancelWork() }
}
