extension DeviceRecord {
    /// Whether bluetoothd hides the battery service: it lists the service, and does not show it (Q109).
    ///
    /// Some versions also list what the device has advertised. Then the list is no evidence, unless bluetoothd reports
    /// a level, or hides GAP, too, which every device has.
    func hidesBattery(_ version: BlueZVersion?) -> Bool {
        guard listedServices.contains(0x180F), !shows(0x180F) else { return false }
        return battery.percentage != nil || !mayAdvertiseBattery || !VersionBehaviour.keepsAdvertisedServices(version)
            || hidesClaimedServices(version)
    }

    /// Whether bluetoothd is configured to hide the services that it uses itself, which its version shows by default.
    private func hidesClaimedServices(_ version: BlueZVersion?) -> Bool {
        VersionBehaviour.showsClaimedServices(version) && listedServices.contains(0x1800) && !services.isEmpty
            && !shows(0x1800)
    }

    private func shows(_ uuid: BluetoothUUID) -> Bool { services.values.contains { $0.uuid == uuid } }
}
