import RxBluetooth

extension DeviceSharing {
    /// Decides what changes for a device.
    mutating func look(_ address: BluetoothAddress, _ now: Duration) -> [Action] {
        guard var device = devices[address] else { return [] }
        var actions: [Action] = []
        forgetUnheard(&device, address, now)
        if session != nil {
            if mustReport(device, now) { actions.append(publishReport(&device, address, now)) }
            // Before the retained messages have arrived, everything seems to be free.
            if now >= max(settlesAt, device.settlesAt) {
                actions += decideOwner(&device, address, now)
                actions += decideRoom(&device, address, now)
            }
        }
        let isOwned = device.hasJobs && isOwner(device, now)
        if isOwned != device.isOwned {
            device.isOwned = isOwned
            actions.append(.setOwned(address, isOwned))
        }
        devices[address] = device
        return actions
    }

    /// Whether this gateway connects to the device.
    private func isOwner(_ device: SharedDevice, _ now: Duration) -> Bool {
        if device.owner.holder == gateway { return true }
        guard session == nil else {
            // A link of the time without the broker is kept until the retained messages have arrived.
            let isSettling = session.map { now - $0 < Self.settling } == true
            return device.isOwned && device.isLinked && (isSettling || device.owner.claimed != nil)
        }
        return device.isOwned || (now - partedSince >= Self.aloneAfter && device.signal != nil)
    }

    // MARK: - Reports

    private mutating func forgetUnheard(_ device: inout SharedDevice, _ address: BluetoothAddress, _ now: Duration) {
        if let until = device.failingUntil {
            if until <= now { device.failingUntil = nil } else { plan(address, at: until) }
        }
        guard !device.isLinked, let signal = device.signal else { return }
        let end = signal.lastHeard + Self.heardTimeout
        guard end <= now else { return plan(address, at: end) }
        device.signal = nil
        device.candidateSince = nil
    }

    /// The report that describes the device now; nil if it is out of range.
    func report(_ device: SharedDevice, _ now: Duration) -> HeardReport? {
        guard let signal = device.signal else { return nil }
        return HeardReport(
            rssi: Int(signal.level.rounded()), isLinked: device.isLinked,
            isFailing: (device.failingUntil ?? now) > now, hasJobs: device.hasJobs)
    }

    /// Whether the broker must get another report. The strength is reported if it changed by 2 dB, every 5 s at most.
    func mustReport(_ device: SharedDevice, _ now: Duration) -> Bool {
        guard session != nil else { return false }
        guard let present = report(device, now) else { return device.published != nil }
        guard let published = device.published else { return true }
        if present.isLinked != published.isLinked || present.isFailing != published.isFailing { return true }
        return abs(present.rssi - published.rssi) >= 2 && now - device.publishedAt >= .seconds(5)
    }

    private func publishReport(_ device: inout SharedDevice, _ address: BluetoothAddress, _ now: Duration) -> Action {
        let report = report(device, now)
        device.published = report
        device.publishedAt = now
        return .publish(
            Publication(topic: topics.heard(address, gateway), payload: report?.payload ?? [], isRetained: true))
    }

    // MARK: - Roles

    /// The report of another gateway that can have a role; nil for others.
    private func candidate(_ name: String, _ device: SharedDevice, needsJobs: Bool) -> HeardReport? {
        guard let report = device.peers[name], !report.isFailing, report.hasJobs || !needsJobs, online.contains(name)
        else { return nil }
        return report
    }

    /// The report of this gateway if it can have a role.
    private func ownCandidate(_ device: SharedDevice) -> HeardReport? {
        device.published.flatMap { $0.isFailing ? nil : $0 }
    }

    private func hasCandidates(_ device: SharedDevice) -> Bool {
        ownCandidate(device) != nil || device.peers.keys.contains { candidate($0, device, needsJobs: false) != nil }
    }

    /// The number of candidates before this gateway, by strength, then by name. All gateways sort them equally.
    private func rank(of mine: HeardReport, _ device: SharedDevice, needsJobs: Bool) -> Int {
        device.peers.count { name, report in
            report.rssi >= mine.rssi && (report.rssi > mine.rssi || name < gateway) && !report.isFailing
                && (report.hasJobs || !needsJobs) && online.contains(name)
        }
    }

    /// Decides whether this gateway takes a role now.
    private mutating func decide(
        _ role: inout SharedRole, _ timing: RoleTiming, _ device: SharedDevice, _ address: BluetoothAddress,
        _ now: Duration
    ) -> Bool {
        if let claimed = role.claimed {
            // The topic repeats each claim. Without its answer, the claim was lost.
            guard now - claimed >= .seconds(5) else {
                plan(address, at: claimed + .seconds(5))
                return false
            }
            role.claimed = nil
        }
        if role.holder == gateway {
            // The broker has lost its retained messages.
            if !role.isConfirmed { role.claimed = now }
            return !role.isConfirmed
        }
        let mine = ownCandidate(device)
        let myRank = mine.map { rank(of: $0, device, needsJobs: timing.needsJobs) }
        let time: Duration?
        if let holder = role.holder.flatMap({ candidate($0, device, needsJobs: timing.needsJobs) }) {
            role.vacantSince = nil
            role.rank = nil
            let isBetter = mine.map { Double($0.rssi - holder.rssi) >= hysteresis && myRank == 0 } == true
            role.betterSince = isBetter ? role.betterSince ?? now : nil
            time = role.betterSince.map { max($0 + timing.better, role.changed + timing.dwell) }
        } else {
            role.betterSince = nil
            let since = role.vacantSince ?? now
            role.vacantSince = since
            if role.rank != myRank { role.rankedAt = now }
            role.rank = myRank
            guard let rank = myRank else { return false }
            let heard = (device.candidateSince ?? now) + Self.election
            // A gateway that was better a moment ago may be about to claim.
            let ranked = role.rankedAt + Self.agreement
            time = max(since + delay(role, timing), heard, ranked) + Self.rankDelay * rank
        }
        // The other gateways may not have the last report of this one yet, or it theirs of the same advertisement.
        guard let time = time.map({ max($0, device.publishedAt + Self.agreement) }) else { return false }
        guard time <= now else {
            plan(address, at: time)
            return false
        }
        role.claimed = now
        plan(address, at: now + .seconds(5))
        return true
    }

    /// The time for which a role is free before it is taken.
    private func delay(_ role: SharedRole, _ timing: RoleTiming) -> Duration {
        guard let holder = role.holder, holder != Self.notHome else { return timing.unknownHolder }
        return online.contains(holder) ? timing.silentHolder : Self.offlineHolder
    }

    private mutating func decideOwner(
        _ device: inout SharedDevice, _ address: BluetoothAddress, _ now: Duration
    ) -> [Action] {
        guard device.hasJobs else { return [] }
        var owner = device.owner
        defer { device.owner = owner }
        if owner.holder == nil, owner.claimed == nil, device.isOwned, device.isLinked {
            // This gateway connected while there was no broker.
            owner.claimed = now
            return claimOwner(address)
        }
        return decide(&owner, .owner, device, address, now) ? claimOwner(address) : []
    }

    func claimOwner(_ address: BluetoothAddress) -> [Action] {
        [.publish(Publication(topic: topics.owner(address), payload: Array(gateway.utf8), isRetained: true))]
    }

    private mutating func decideRoom(
        _ device: inout SharedDevice, _ address: BluetoothAddress, _ now: Duration
    ) -> [Action] {
        var room = device.room
        defer { device.room = room }
        if decide(&room, .room, device, address, now) { return [publishRoom(gateway, address)] }
        guard let holder = room.holder, holder != Self.notHome else { return [] }
        guard !online.contains(holder) || holder == gateway, !hasCandidates(device) else {
            if holder == gateway { room.vacantSince = nil }
            return []
        }
        // The own signal has timed out before. The gateway of another room may be gone for a moment only.
        let since = room.vacantSince ?? now
        room.vacantSince = since
        let time = holder == gateway ? since : since + Self.heardTimeout
        guard time <= now else {
            plan(address, at: time)
            return []
        }
        room.vacantSince = nil
        room.claimed = now
        return [publishRoom(Self.notHome, address)]
    }

    private func publishRoom(_ name: String, _ address: BluetoothAddress) -> Action {
        .publish(Publication(topic: topics.room(address), payload: Array(name.utf8), isRetained: true))
    }
}
