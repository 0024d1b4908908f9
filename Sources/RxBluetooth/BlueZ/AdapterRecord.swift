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
    /// Since when it scans, for whomever; nil where that was so before we came, or it does not.
    var discoveringSince: MonotonicTime?

    init(number: UInt16) { self.number = number }

    /// Daemons before 5.54 do not tell roles; every adapter of theirs that we can use is a central.
    var isCentral: Bool { roles?.contains("central") ?? true }

    /// Whether Bluetooth can be used with an adapter, where nothing else stands in the way.
    static func state(_ adapter: AdapterRecord?) -> BluetoothState {
        guard let adapter else { return .noAdapter }
        if adapter.isPowered { return .poweredOn }
        return adapter.powerState == "off-blocked" ? .blocked : .poweredOff
    }

    /// Source: BlueZ, `adapter-api.txt`.
    static let table = PropertyTable<AdapterRecord>([
        .init("Address", clear: { $0.address = nil }) { (record, value) throws(DBusError) in
            record.address = try value.withString { BluetoothAddress(bytes: $0, separator: UInt8(ascii: ":")) }
        },
        .init("Alias", clear: { $0.alias = "" }) { (record, value) throws(DBusError) in
            record.alias = try value.string()
        },
        .init("Powered", clear: { $0.isPowered = false }) { (record, value) throws(DBusError) in
            record.isPowered = try value.bool()
        },
        .init("PowerState", clear: { $0.powerState = nil }) { (record, value) throws(DBusError) in
            record.powerState = try value.string()
        },
        .init("Discovering", clear: { $0.isDiscovering = false }) { (record, value) throws(DBusError) in
            record.isDiscovering = try value.bool()
        },
        .init("Roles", clear: { $0.roles = nil }) { (record, value) throws(DBusError) in
            record.roles = try value.strings()
        },
    ])
}
