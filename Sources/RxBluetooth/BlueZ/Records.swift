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

/// What bluetoothd tells of a GATT service, and the characteristics below it. Source: BlueZ, `gatt-api.txt`.
struct ServiceRecord {
    var uuid: BluetoothUUID?
    var isPrimary = true
    /// Tells it from one that had its handle before, in the same connection (Q60, Q111): 0 for what was read while the link was
    /// made, and a number of its own for what came afterwards.
    var epoch: UInt64 = 0
    /// The handles of the services that it includes.
    var includes: [UInt16] = []
    var characteristics: [UInt16: CharacteristicRecord] = [:]

    static let table = PropertyTable<ServiceRecord>([
        .init("UUID", clear: { $0.uuid = nil }) { (record, value) throws(DBusError) in
            record.uuid = try value.withString { BluetoothUUID(bytes: $0) }
        },
        .init("Primary", clear: { $0.isPrimary = true }) { (record, value) throws(DBusError) in
            record.isPrimary = try value.bool()
        },
        .init("Includes", clear: { $0.includes = [] }) { (record, value) throws(DBusError) in
            var handles: [UInt16] = []
            try value.array { (path) throws(DBusError) in
                if case .service(_, let handle)? = try path.withObjectPath({ ObjectKey(path: $0) }) {
                    handles.append(handle)
                }
            }
            record.includes = handles
        },
    ])
}

/// What bluetoothd tells of a battery. Source: BlueZ, `battery-api.txt`.
struct BatteryRecord {
    /// In percent; what is above 100 is none.
    var percentage: UInt8?

    static let table = PropertyTable<BatteryRecord>([
        .init("Percentage", clear: { $0.percentage = nil }) { (record, value) throws(DBusError) in
            let percentage = try value.byte()
            record.percentage = percentage <= 100 ? percentage : nil
        }
    ])
}

/// What bluetoothd tells of a characteristic, and the descriptors below it.
struct CharacteristicRecord {
    var uuid: BluetoothUUID?
    var properties: Characteristic.Properties = []
    /// The last value that came in a signal; only until it is handed on.
    var value: [UInt8] = []
    /// The link's MTU, only until it is handed on; from 5.62 on, and absent without a link (Q101).
    var mtu: UInt16?
    var descriptors: [UInt16: DescriptorRecord] = [:]

    static let table = PropertyTable<CharacteristicRecord>([
        .init("Value", clear: { $0.value = [] }) { (record, value) throws(DBusError) in
            record.value = try value.bytes()
        },
        .init("UUID", clear: { $0.uuid = nil }) { (record, value) throws(DBusError) in
            record.uuid = try value.withString { BluetoothUUID(bytes: $0) }
        },
        .init("Flags", clear: { $0.properties = [] }) { (record, value) throws(DBusError) in
            record.properties = Characteristic.Properties(flags: try value.strings())
        },
        mtuRow,
    ])

    /// For characteristics whose values nobody wants to have.
    static let mtuTable = PropertyTable<CharacteristicRecord>([mtuRow])

    private static let mtuRow = PropertyTable<CharacteristicRecord>.Row("MTU", clear: { $0.mtu = nil }) {
        (record, value) throws(DBusError) in
        record.mtu = try value.uint16()
    }

    static let valued = table.changes(["Value"])
}

/// What bluetoothd tells of a descriptor.
struct DescriptorRecord {
    var uuid: BluetoothUUID?

    static let table = PropertyTable<DescriptorRecord>([
        .init("UUID", clear: { $0.uuid = nil }) { (record, value) throws(DBusError) in
            record.uuid = try value.withString { BluetoothUUID(bytes: $0) }
        }
    ])
}
