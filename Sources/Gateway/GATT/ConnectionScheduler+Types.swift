import RxBluetooth

/// The settings, inputs and outputs of the scheduler.
extension ConnectionScheduler {
    /// The limits and times.
    struct Settings: Hashable, Sendable {
        /// The largest number of links. The adapter may have fewer, which is learned.
        var maximumLinks = 32
        /// How long a device keeps its link while others wait.
        var minimumStay = Duration.seconds(30)
        /// How long a device keeps its link while a device with commands waits.
        var minimumStayBeforeCommand = Duration.seconds(3)
        /// How long a device keeps its link before a command if an earlier command has cut its last turn short.
        var minimumStayAfterCommand = Duration.seconds(10)
        /// A command that waits for a link of a job gets it this long before its deadline.
        var commandReserve = Duration.seconds(10)
        /// How many devices with commands are connected before one without, while both wait.
        var commandStreak = 4
        /// How long a link that no job needs stays open after the last command.
        var linger = Duration.seconds(5)
        /// A link is closed, to save energy, if no job needs it for at least this time.
        var minimumPause = Duration.seconds(60)
        /// The first and the longest pause after a failure of a device. It doubles with each failure.
        var initialBackoff = Duration.seconds(1)
        var maximumBackoff = Duration.seconds(60)
        /// How many attempts in a row may fail before the device loses its turn.
        var attemptsPerTurn = 3
        /// A link that ends earlier counts as a failure.
        var stableAfter = Duration.seconds(10)
        /// When one more link is tried after the adapter refused it. It doubles with each refusal, up to the maximum.
        var initialLimitRetry = Duration.seconds(300)
        var maximumLimitRetry = Duration.seconds(3600)

        init() {}
    }

    /// What the driver does.
    enum Action: Hashable, Sendable {
        case connect(BluetoothAddress)
        /// Lets a running command finish, then closes the link.
        case disconnect(BluetoothAddress)
        /// Ends an attempt to connect.
        case cancel(BluetoothAddress)
    }

    /// Why an attempt or a link ended.
    enum Ending: Hashable, Sendable {
        /// The driver closed it, as requested.
        case closed
        /// The adapter has no room for another link.
        case noFreeSlot
        /// Bluetooth itself is not available. The device is not the cause.
        case outage
        case failed
    }

    enum Phase: Hashable, Sendable { case waiting, connecting, connected, closing }

    struct Device: Hashable, Sendable {
        var phase = Phase.waiting
        /// When the phase began.
        var since: Duration
        /// The position in the queue. The smallest number is first.
        var turn: UInt64
        /// When it got this position.
        var turnSince: Duration
        /// No attempt begins before this time.
        var notBefore = Duration.zero
        var failures = 0
        var hasJobs = false
        var isHeard = false
        var commands = 0
        /// When the oldest of the commands arrived.
        var commandArrival: Duration?
        /// When the first of the commands fails.
        var commandDeadline: Duration?
        var lastCommand: Duration?
        /// No job needs the link before this time.
        var idleUntil: Duration?
        /// Whether the last link was closed early for a command. Then the next one stays longer.
        var wasPreempted = false

        func jobsNeedLink(_ now: Duration) -> Bool { hasJobs && (idleUntil ?? now) <= now }
        func needsLink(_ now: Duration) -> Bool { commands > 0 || jobsNeedLink(now) }
    }
}
