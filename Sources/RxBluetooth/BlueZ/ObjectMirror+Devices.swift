import DBus

/// Look-ups of devices and their attributes.
extension ObjectMirror {
    /// Returns the record of a characteristic; nil if there is none.
    func record(_ key: CharacteristicKey) -> CharacteristicRecord? {
        devices[key.device]?.services[key.service]?.characteristics[key.handle]
    }

    /// Returns whether bluetoothd has a bond with a device.
    ///
    /// A paired device may have no bond. Its keys are then lost with the link.
    func isBonded(_ key: DeviceKey) -> Bool { devices[key]?.isBonded == true }

    /// Returns the addresses of a device: that of its path, and the identity address from bonding (Q62).
    func addresses(of key: DeviceKey) -> [BluetoothAddress] {
        [key.address] + (devices[key]?.address.map { [$0] } ?? [])
    }

    /// Sets whether a device is connected, and reports a change.
    func correct(_ key: DeviceKey, isConnected: Bool) {
        guard let device = devices[key], device.isConnected != isConnected else { return }
        device.isConnectedOverAny = isConnected
        observer.deviceChanged(
            DeviceChange(
                device: device, set: DeviceRecord.connected, all: DeviceRecord.connected, wasConnected: !isConnected))
    }
}
