import RxBluetooth

/// Decides which devices of an adapter are connected, and when. A state machine without timers and Bluetooth.
///
/// One attempt to connect runs at a time. If more devices need a link than the adapter has, each device gets a turn.
/// Devices with commands come first, but not more than ``Settings/commandStreak`` times in a row.
struct ConnectionScheduler {
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
        /// No attempt begins before this time.
        var notBefore = Duration.zero
        var failures = 0
        var hasJobs = false
        var isHeard = false
        var commands = 0
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

    let settings: Settings
    private(set) var devices: [BluetoothAddress: Device] = [:]
    /// The number of links that the adapter has, as far as it is known.
    private(set) var limit: Int
    private(set) var limitRetry: (at: Duration, delay: Duration)?
    private(set) var isAvailable = true
    private var lastTurn: UInt64 = 0
    private(set) var streak = 0

    init(_ settings: Settings = Settings()) {
        self.settings = settings
        limit = max(1, settings.maximumLinks)
    }

    // MARK: - Events

    /// Adds a device, or changes whether it has jobs for this gateway.
    mutating func setJobs(_ hasJobs: Bool, of address: BluetoothAddress, now: Duration) {
        ensure(address, now)
        devices[address]?.hasJobs = hasJobs
    }

    /// Stores whether the device is in range.
    mutating func setHeard(_ isHeard: Bool, _ address: BluetoothAddress, now: Duration) {
        ensure(address, now)
        devices[address]?.isHeard = isHeard
    }

    /// Stores the number of commands of the device that wait or run.
    ///
    /// - Parameter deadline: When the first of them fails; nil if that is not known.
    mutating func setCommands(
        _ count: Int, of address: BluetoothAddress, deadline: Duration? = nil, now: Duration
    ) {
        ensure(address, now)
        if devices[address]?.commands != count { devices[address]?.lastCommand = now }
        devices[address]?.commands = count
        devices[address]?.commandDeadline = deadline
    }

    /// Stores that no job of the device needs its link before a time; nil if one does now.
    mutating func setIdle(until time: Duration?, _ address: BluetoothAddress) { devices[address]?.idleUntil = time }

    /// Stores whether Bluetooth can be used. After an outage, all devices may connect at once.
    mutating func setAvailable(_ isAvailable: Bool, now: Duration) {
        guard isAvailable != self.isAvailable else { return }
        self.isAvailable = isAvailable
        guard isAvailable else { return }
        for address in devices.keys {
            devices[address]?.notBefore = now
            devices[address]?.failures = 0
        }
    }

    mutating func connected(_ address: BluetoothAddress, now: Duration) {
        guard devices[address]?.phase == .connecting else { return }
        devices[address]?.phase = .connected
        devices[address]?.since = now
    }

    /// The attempt or the link has ended.
    mutating func ended(_ address: BluetoothAddress, _ ending: Ending, now: Duration) {
        guard var device = devices[address], device.phase != .waiting else { return }
        let wasStable = device.phase != .connecting && now - device.since >= settings.stableAfter
        switch ending {
        case .closed:
            device.failures = 0
            device.notBefore = now
            device.turn = nextTurn()
        case .outage: device.notBefore = now + settings.initialBackoff
        case .noFreeSlot:
            lowerLimit(now)
            // The device keeps its turn. The pause prevents a busy loop if other programs use all links.
            device.notBefore = now + settings.initialBackoff
        case .failed:
            device.failures = wasStable ? 0 : min(device.failures + 1, 16)
            let factor = 1 << max(0, device.failures - 1)
            device.notBefore = now + min(settings.initialBackoff * factor, settings.maximumBackoff)
            // After a few failed attempts, the device lets all others try first.
            if device.phase != .connecting || device.failures >= settings.attemptsPerTurn { device.turn = nextTurn() }
        }
        device.phase = .waiting
        device.since = now
        devices[address] = device
    }

    private mutating func ensure(_ address: BluetoothAddress, _ now: Duration) {
        guard devices[address] == nil else { return }
        devices[address] = Device(since: now, turn: nextTurn())
    }

    private mutating func nextTurn() -> UInt64 {
        lastTurn += 1
        return lastTurn
    }

    private mutating func lowerLimit(_ now: Duration) {
        limit = max(1, devices.values.count { $0.phase == .connected || $0.phase == .closing })
        let delay = limitRetry.map { min($0.delay * 2, settings.maximumLimitRetry) } ?? settings.initialLimitRetry
        limitRetry = (now + delay, delay)
    }

    // MARK: - Decisions

    /// Returns what to do now, and when to ask again at the latest.
    mutating func decide(now: Duration) -> (actions: [Action], wake: Duration?) {
        if let retry = limitRetry, retry.at <= now {
            limit = min(limit + 1, settings.maximumLinks)
            limitRetry = limit == settings.maximumLinks ? nil : (now + retry.delay, retry.delay)
        }
        var actions = closeUnneeded(now)
        if let action = useFreeLink(now) { actions.append(action) }
        return (actions, wakeTime(now))
    }

    /// Closes links that neither jobs nor commands need.
    private mutating func closeUnneeded(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        for (address, device) in sorted() where isUnneeded(device, now) {
            switch device.phase {
            case .connecting:
                actions.append(.cancel(address))
                move(address, to: .closing, now)
            case .connected where lingerEnd(device) <= now:
                actions.append(.disconnect(address))
                move(address, to: .closing, now)
            default: break
            }
        }
        return actions
    }

    func isUnneeded(_ device: Device, _ now: Duration) -> Bool {
        guard device.commands == 0 else { return false }
        return !device.hasJobs || (device.idleUntil ?? now) - now >= settings.minimumPause
    }

    /// When the link of a device without need is closed. Jobs that are done do not use it any more.
    func lingerEnd(_ device: Device) -> Duration {
        if let command = device.lastCommand { return max(command, device.since) + settings.linger }
        return device.since
    }

    /// Starts the next attempt, or closes a link for it.
    private mutating func useFreeLink(_ now: Duration) -> Action? {
        guard isAvailable, !devices.values.contains(where: { $0.phase == .connecting }) else { return nil }
        guard let next = candidate(now) else { return nil }
        if devices.values.count(where: { $0.phase != .waiting }) < limit {
            streak = next.isForCommand ? streak + 1 : 0
            move(next.address, to: .connecting, now)
            return .connect(next.address)
        }
        // One link is closed at a time, because one attempt runs at a time.
        guard !devices.values.contains(where: { $0.phase == .closing }) else { return nil }
        guard let victim = victim(for: next, now) else { return nil }
        let isEarly = devices[victim].map { now < $0.since + settings.minimumStay } ?? false
        devices[victim]?.wasPreempted = isEarly
        move(victim, to: .closing, now)
        return .disconnect(victim)
    }

    private mutating func move(_ address: BluetoothAddress, to phase: Phase, _ now: Duration) {
        devices[address]?.phase = phase
        devices[address]?.since = now
    }

    func sorted() -> [(key: BluetoothAddress, value: Device)] {
        devices.sorted { $0.value.turn < $1.value.turn }
    }
}
