internal import CDBus

/// What is behind a ``Connection``: everything that libdbus's connection and its thread need. The thread holds it while it
/// runs, so that letting go of the handle is noticed and closes the bus.
@safe
final class Core: EventLoop, Bus, @unchecked Sendable {
    // Guard: every `var` is touched in the context only.

    enum State {
        /// Until the bus has answered our Hello; what is sent meanwhile waits in `backlog`.
        case opening
        case open
        case closed(DBusError)
    }

    var state = State.opening
    /// Why the connection is to end. Set where libdbus or a handler is still on the stack; acted on by `turn`.
    var cause: DBusError?

    // The wire.
    var link: RawConnection?
    var watches: [DBusWatch] = []
    var wire = Poller.Source()
    var openDeadline: BusTask?
    /// Where to connect once more, if the bus hangs up before it has authenticated us.
    var secondTry: Connection.Address?
    var lingerDeadline: BusTask?
    var backlog: [Outgoing] = []

    // Calls of ours.
    var inFlight: [UInt32: PendingCall] = [:]
    var cappedInFlight = 0
    var waiting = CallQueue()

    // Signals.
    var subscriptions: [SignalSubscription] = []
    var rules: [MatchRule: Int] = [:]
    var owners: [String: NameOwner] = [:]
    var reusable: Message
    let empty: Message

    // Calls of others, and the end.
    var exports: [ObjectPath: ExportedObject] = [:]
    var disconnectHandlers: [DisconnectHandler] = []

    private let name = Guarded<String?>(nil)

    override init() {
        empty = Message.empty()
        reusable = empty.retainedCopy()
    }

    /// Our unique name, from any thread.
    var uniqueName: String? {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    var clock: BusClock { .monotonic }

    /// A turn delivers so many messages at most, so that a flood of signals delays neither timers nor other work.
    private static let messagesPerTurn = 32

    override func turn() {
        var budget = Self.messagesPerTurn
        while budget > 0, cause == nil, isLive { budget = dispatchOne() ? budget - 1 : 0 }
        if let cause {
            self.cause = nil
            finish(cause)
        }
        lingerOn()
    }

    /// Delivers one message. False where there is no more.
    private func dispatchOne() -> Bool {
        guard let link else { return false }
        return unsafe dbus_connection_dispatch(link.raw) == DBUS_DISPATCH_DATA_REMAINS
    }

    override var isBusy: Bool {
        if cause != nil { return true }
        guard isLive, let link else { return false }
        return unsafe dbus_connection_get_dispatch_status(link.raw) == DBUS_DISPATCH_DATA_REMAINS
    }

    override var source: Poller.Source { wire }

    override func handle(_ events: Int16) { handleWatches(events) }

    override var isFinished: Bool { !isLive && link == nil }

    /// Whether the connection has not ended yet.
    private var isLive: Bool { if case .closed = state { false } else { true } }
}
