import RxBluetooth

/// Decides which devices of an adapter are connected, and when. A state machine without timers and Bluetooth.
///
/// One attempt to connect runs at a time. If more devices need a link than the adapter has, each device gets a turn.
/// Devices with commands come first, but not more than ``Settings/commandStreak`` times in a row.
struct ConnectionScheduler {
    let settings: Settings
    private(set) var devices: [BluetoothAddress: Device] = [:]
    /// The number of links that the adapter has, as far as it is known.
    private(set) var limit: Int
    private(set) var limitRetry: (at: Duration, delay: Duration)?
    private(set) var isAvailable = true
    private var lastTurn: UInt64 = 0
    /// The number of links when the last attempt began.
    private var linksAtAttempt = 0
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

    /// Forgets a device without a link.
    mutating func remove(_ address: BluetoothAddress) { devices[address] = nil }

    /// Stores whether the device is in range.
    mutating func setHeard(_ isHeard: Bool, _ address: BluetoothAddress, now: Duration) {
        ensure(address, now)
        devices[address]?.isHeard = isHeard
    }

    /// Stores the number of commands of the device that wait or run.
    ///
    /// - Parameters:
    ///   - arrival: When the oldest of them arrived; nil if that is not known.
    ///   - deadline: When the first of them fails; nil if that is not known.
    mutating func setCommands(
        _ count: Int, of address: BluetoothAddress, since arrival: Duration? = nil, deadline: Duration? = nil,
        now: Duration
    ) {
        ensure(address, now)
        if devices[address]?.commands != count { devices[address]?.lastCommand = now }
        devices[address]?.commands = count
        devices[address]?.commandArrival = arrival
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
            giveTurn(&device, now)
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
            if device.phase != .connecting || device.failures >= settings.attemptsPerTurn { giveTurn(&device, now) }
        }
        device.phase = .waiting
        device.since = now
        devices[address] = device
    }

    private mutating func ensure(_ address: BluetoothAddress, _ now: Duration) {
        guard devices[address] == nil else { return }
        var device = Device(since: now, turn: 0, turnSince: now)
        giveTurn(&device, now)
        devices[address] = device
    }

    /// Moves a device to the end of the queue.
    private mutating func giveTurn(_ device: inout Device, _ now: Duration) {
        lastTurn += 1
        device.turn = lastTurn
        device.turnSince = now
    }

    private mutating func lowerLimit(_ now: Duration) {
        // Links that closed since the beginning of the attempt may have been the ones that the adapter had.
        limit = max(1, linksAtAttempt)
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
        var actions = closeUnneeded(now) + closeAhead(now)
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

    /// Closes links without need for devices that wait, so that the attempts follow each other without pauses.
    private mutating func closeAhead(_ now: Duration) -> [Action] {
        guard isAvailable else { return [] }
        let used = devices.values.count { $0.phase != .waiting }
        let closing = devices.values.count { $0.phase == .closing }
        let waiting = devices.values.count { mayConnect($0, now) }
        let missing = waiting - closing - max(0, limit - used)
        let idle = devices.filter { $0.value.phase == .connected && !$0.value.needsLink(now) }
            .sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
        return idle.prefix(max(0, missing)).map { address, _ in
            devices[address]?.wasPreempted = false
            move(address, to: .closing, now)
            return .disconnect(address)
        }
    }

    /// Starts the next attempt, or closes a link for it.
    private mutating func useFreeLink(_ now: Duration) -> Action? {
        guard isAvailable, !devices.values.contains(where: { $0.phase == .connecting }) else { return nil }
        guard let next = candidate(now) else { return nil }
        let links = devices.values.count { $0.phase != .waiting }
        if links < limit {
            linksAtAttempt = links
            streak = next.isForCommand ? streak + 1 : 0
            move(next.address, to: .connecting, now)
            return .connect(next.address)
        }
        // One link that is needed is closed at a time, because one attempt runs at a time.
        guard !devices.values.contains(where: { $0.phase == .closing }) else { return nil }
        guard let victim = victim(for: next, now) else { return nil }
        let isCutShort = devices[victim].map { $0.needsLink(now) && now < $0.since + settings.minimumStay }
        devices[victim]?.wasPreempted = isCutShort ?? false
        move(victim, to: .closing, now)
        return .disconnect(victim)
    }

    private mutating func move(_ address: BluetoothAddress, to phase: Phase, _ now: Duration) {
        devices[address]?.phase = phase
        devices[address]?.since = now
    }
}
