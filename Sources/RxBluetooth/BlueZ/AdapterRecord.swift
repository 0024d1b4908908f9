import DBus

/// What bluetoothd tells of an adapter.
struct AdapterRecord {
    let number: UInt16
    var address: BluetoothAddress?
    var alias = ""
    var isPowered = false
    var powerState: String?
    var isDiscovering = false
    var roles: [String]?

    init(number: UInt16) { self.number = number }

    /// Daemons before 5.54 do not tell roles; every adapter of theirs that we can use is a central.
    var isCentral: Bool { roles?.contains("central") ?? true }

    /// Source: BlueZ, `adapter-api.txt`.
    static let table = PropertyTable<AdapterRecord>([
        .init("Address") { (record, value) throws(DBusError) in
            record.address = try value.withString { BluetoothAddress(bytes: $0, separator: UInt8(ascii: ":")) }
        } clear: { $0.address = nil },
        .init("Alias") { (record, value) throws(DBusError) in
            record.alias = try value.string()
        } clear: { $0.alias = "" },
        .init("Powered") { (record, value) throws(DBusError) in
            record.isPowered = try value.bool()
        } clear: { $0.isPowered = false },
        .init("PowerState") { (record, value) throws(DBusError) in
            record.powerState = try value.string()
        } clear: { $0.powerState = nil },
        .init("Discovering") { (record, value) throws(DBusError) in
            record.isDiscovering = try value.bool()
        } clear: { $0.isDiscovering = false },
        .init("Roles") { (record, value) throws(DBusError) in
            record.roles = try value.strings()
        } clear: { $0.roles = nil },
    ])
}
