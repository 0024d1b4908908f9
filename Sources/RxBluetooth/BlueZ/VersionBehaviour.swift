/// What differs between the versions of bluetoothd, and cannot be seen on the bus. It is no defect.
enum VersionBehaviour {
    /// Whether `Device1.UUIDs` also lists what a device has advertised after bluetoothd has read its services.
    ///
    /// 5.66 does not, and 5.82 and 5.87 do. A version between them, or an unknown one, counts as one that does.
    /// Source: BlueZ 5.82, device_add_eir_uuids in src/device.c.
    static func keepsAdvertisedServices(_ version: BlueZVersion?) -> Bool {
        version.map { $0 > BlueZVersion(5, 66) } ?? true
    }

    /// Whether bluetoothd shows the services that it uses itself, unless its configuration hides them.
    ///
    /// Source: BlueZ 5.80, `ExportClaimedServices` in src/main.conf. An unknown version counts as one that does not.
    static func showsClaimedServices(_ version: BlueZVersion?) -> Bool {
        version.map { $0 >= BlueZVersion(5, 80) } ?? false
    }
}
