/// The interfaces and members of each kind of object in a version of bluetoothd with `-E`.
///
/// One test compares the simulation with this table. Another test compares the real bluetoothd with it.
package struct BlueZInterfaces: Sendable {
    private let version: String

    /// Creates the table of a version of ``VersionedText/versions``.
    package init(version: String) {
        precondition(VersionedText.versions.contains(version), "There is no table for BlueZ \(version)")
        self.version = version
    }

    /// Returns how an object that busctl shows differs from the table, one difference per line.
    ///
    /// - Parameter mayLack: Interfaces of bluetoothd that the object may omit.
    package func differences(
        _ shown: BusctlDescription, at path: String, mayLack: Set<String> = []
    ) -> [String] {
        let expected = Set(interfaces(at: path))
        let names = Set(shown.interfaces.keys)
        var lines = expected.subtracting(names).subtracting(mayLack).map { "\(path) lacks \($0)" }
        lines += names.subtracting(expected).map { "\(path) has \($0), which bluetoothd does not have" }
        for (name, members) in shown.interfaces {
            guard let table = Self.members[name] else { continue }
            let real = Set(table.lines(in: version).map(BusctlDescription.Member.init))
            lines += real.subtracting(members).map { "\(path) \(name) lacks \($0)" }
            lines += members.subtracting(real).map { "\(path) \(name) has \($0), which bluetoothd does not have" }
        }
        return lines.sorted()
    }

    /// The interfaces that a central does not need, with their purposes. The simulation may omit them.
    package static let notForCentrals = [
        "org.bluez.BatteryProviderManager1": "battery levels that programs provide",
        "org.bluez.GattManager1": "services that programs provide when the computer is a peripheral",
        "org.bluez.HealthManager1": "the Health Device Profile, of BR/EDR",
        "org.bluez.Media1": "audio",
        "org.bluez.NetworkServer1": "networks over BR/EDR",
        "org.bluez.ProfileManager1": "profiles of BR/EDR, over sockets",
        "org.bluez.SimAccess1": "the SIM Access Profile, of BR/EDR",
        "org.bluez.SimAccessTest1": "a test object of that profile",
    ]

    /// Returns the interfaces of the object at a path.
    ///
    /// A device is expected to be connected and to have the battery service.
    private func interfaces(at path: String) -> [String] {
        let parts = path.split(separator: "/")
        let own: VersionedText
        switch (parts.count, parts.last?.prefix(4)) {
        case (0, _): return ["org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.ObjectManager"]
        case (1, _): return []
        case (2, _):
            own = "AgentManager1\n@5.66,5.82 HealthManager1\nProfileManager1"
            return own.lines(in: version).map { "org.bluez.\($0)" } + ["org.freedesktop.DBus.Introspectable"]
        case (3, "test"): return ["org.bluez.SimAccessTest1", "org.freedesktop.DBus.Introspectable"]
        case (3, _):
            own = """
                Adapter1
                AdvertisementMonitorManager1
                BatteryProviderManager1
                GattManager1
                LEAdvertisingManager1
                Media1
                NetworkServer1
                @5.66,5.82 SimAccess1
                """
        case (4, _): own = "Device1\nBattery1\n@5.87 Bearer.LE1"
        case (5, _): own = "GattService1"
        case (6, _): own = "GattCharacteristic1"
        default: own = "GattDescriptor1"
        }
        return own.lines(in: version).map { "org.bluez.\($0)" }
            + ["org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Properties"]
    }
}
