import RxBluetooth

extension DeviceSharing {
    /// Uses the devices of another configuration. The roles of the devices that remain do not change.
    mutating func reload(_ settings: [DeviceSettings], now: Duration) -> [Action] {
        let old = jobs
        jobs = Dictionary(settings.map { ($0.address, !$0.jobs.isEmpty) }) { $0 || $1 }
        var actions: [Action] = []
        for address in old.keys.sorted() where jobs[address] != old[address] {
            guard let hasJobs = jobs[address] else {
                actions += remove(address)
                continue
            }
            guard devices[address] != nil else { continue }
            devices[address]?.hasJobs = hasJobs
            // The retained owner arrives again, and this gateway removes it if it cannot be the owner.
            if !hasJobs, session != nil { actions.append(.subscribe(topics.roles(address))) }
            actions += look(address, now)
        }
        for address in jobs.keys { removed.remove(address) }
        return actions
    }

    /// Forgets a device, and removes what this gateway has published about it, see ``removeRole(_:_:_:)``.
    private mutating func remove(_ address: BluetoothAddress) -> [Action] {
        guard let device = forget(address) else { return [] }
        var actions: [Action] = device.isOwned ? [.setOwned(address, false)] : []
        guard session != nil else { return actions }
        actions.append(
            .publish(Publication(topic: topics.heard(address, gateway), payload: [], isRetained: true)))
        guard removed.count < Self.maximumRemoved else { return actions }
        removed.insert(address)
        actions.append(.subscribe(topics.roles(address)))
        return actions
    }
}
