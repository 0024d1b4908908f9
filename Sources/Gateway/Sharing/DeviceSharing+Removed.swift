import RxBluetooth

// What an earlier configuration of this gateway has left at the broker.
extension DeviceSharing {
    /// The most devices for which roles are removed.
    static let maximumRemoved = 1000

    /// Removes a report of this gateway about a device that it does not have any more, and then the device's roles.
    ///
    /// The roles are received after the report, so that a gateway does not receive those of all devices.
    mutating func removeReport(_ address: BluetoothAddress, _ payload: [UInt8]) -> [Action] {
        guard jobs[address] == nil, !payload.isEmpty else { return [] }
        let actions = [clear(topics.heard(address, gateway))]
        guard removed.count < Self.maximumRemoved, removed.insert(address).inserted else { return actions }
        return actions + [.subscribe(topics.roles(address))]
    }

    /// Removes a role of this gateway for a device that it does not have any more.
    func removeRole(_ topic: String, _ holder: String?, _ address: BluetoothAddress) -> [Action] {
        guard holder == gateway, jobs[address] == nil, removed.contains(address) else { return [] }
        return [clear(topic)]
    }

    /// Removes the ownership of this gateway for a device that has no jobs any more.
    func removeOwnership(_ holder: String?, _ address: BluetoothAddress) -> [Action] {
        guard holder == gateway, jobs[address] == false else { return [] }
        return [clear(topics.owner(address))]
    }

    private func clear(_ topic: String) -> Action {
        .publish(Publication(topic: topic, payload: [], isRetained: true))
    }
}
