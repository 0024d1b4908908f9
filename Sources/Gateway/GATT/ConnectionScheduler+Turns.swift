import RxBluetooth

/// Which device gets the next link, which one gives it, and when.
extension ConnectionScheduler {
    /// A device that waits for a link and may connect.
    struct Candidate: Hashable, Sendable {
        var address: BluetoothAddress
        var isForCommand: Bool
        /// When its first command fails.
        var deadline: Duration?
    }

    func sorted() -> [(key: BluetoothAddress, value: Device)] {
        devices.sorted { $0.value.turn < $1.value.turn }
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

    func mayConnect(_ device: Device, _ now: Duration) -> Bool {
        device.phase == .waiting && device.notBefore <= now && device.isHeard && device.needsLink(now)
    }

    /// Returns the device that is connected next; nil if none needs a link.
    func candidate(_ now: Duration) -> Candidate? {
        let waiting = sorted().filter { mayConnect($0.value, now) }
        let command = waiting.filter { $0.value.commands > 0 }.min { commandOrder($0.value) < commandOrder($1.value) }
        let job = waiting.first { $0.value.commands == 0 }
        let isForCommand = command != nil && (job == nil || streak < settings.commandStreak)
        guard let (address, device) = isForCommand ? command : job else { return nil }
        return Candidate(address: address, isForCommand: isForCommand, deadline: device.commandDeadline)
    }

    /// The oldest command is first, so that it does not fail while later ones succeed.
    ///
    /// Commands that arrived during an earlier turn of their device count from its end, so that others are connected.
    private func commandOrder(_ device: Device) -> (Duration, UInt64) {
        (max(device.commandArrival ?? .zero, device.turnSince), device.turn)
    }

    /// When the link of a connected device may be closed for another device.
    private func evictionTime(_ device: Device, for next: Candidate, _ now: Duration) -> Duration {
        if !device.needsLink(now) { return device.since }
        if device.commands > 0 { return device.since + settings.minimumStay * 2 }
        guard next.isForCommand else { return device.since + settings.minimumStay }
        // Commands that follow each other do not take all of the time of the job.
        let stay = device.wasPreempted ? settings.minimumStayAfterCommand : settings.minimumStayBeforeCommand
        let earliest = device.since + min(settings.minimumStayBeforeCommand, settings.minimumStay)
        let end = device.since + min(stay, settings.minimumStay)
        return max(earliest, min(end, next.deadline.map { $0 - settings.commandReserve } ?? end))
    }

    /// Returns the connected device that gives its link to another one; nil if none has had its time.
    func victim(for next: Candidate, _ now: Duration) -> BluetoothAddress? {
        let connected = sorted().filter { $0.value.phase == .connected }
        let evictable = connected.filter { evictionTime($0.value, for: next, now) <= now }
        let best = evictable.min { one, other in
            let needs = (one.value.needsLink(now), other.value.needsLink(now))
            if needs.0 != needs.1 { return !needs.0 }
            return one.value.since < other.value.since
        }
        return best?.key
    }

    /// The earliest time at which a decision may change without an event.
    func wakeTime(_ now: Duration) -> Duration? {
        var times: [Duration] = []
        let waiting = devices.values.filter { $0.phase == .waiting && $0.isHeard }
        for device in waiting where isAvailable {
            if device.needsLink(now) { times.append(device.notBefore) }
            if device.hasJobs, let idle = device.idleUntil { times.append(max(idle, device.notBefore)) }
        }
        let next = candidate(now)
        for device in devices.values where device.phase == .connected {
            if let next { times.append(evictionTime(device, for: next, now)) }
            if isUnneeded(device, now) { times.append(lingerEnd(device)) }
        }
        if let retry = limitRetry { times.append(retry.at) }
        return times.filter { $0 > now }.min()
    }
}
