import DBus

/// The properties of an adapter in bluetoothd.
struct AdapterRecord {
    let number: UInt16
    var address: BluetoothAddress?
    var alias = ""
    var isPowered = false
    var powerState: String?
    var isDiscovering = false
    var roles: [String]?
    /// The device identifier, which contains the version of bluetoothd.
    var modalias: String?
    /// When any program began to scan; nil if the adapter does not scan, or did so before the snapshot.
    var discoveringSince: MonotonicTime?

    init(number: UInt16) { self.number = number }

    /// Whether the adapter can be a central.
    ///
    /// Before 5.54, bluetoothd reports no roles, and every usable adapter is a central.
    var isCentral: Bool { roles?.contains("central") ?? true }

    /// Returns the state of Bluetooth as far as it depends on an adapter; nil stands for no adapter.
    static func state(_ adapter: AdapterRecord?) -> BluetoothState {
        guard let adapter else { return .noAdapter }
        if adapter.isPowered { return .poweredOn }
        return adapter.powerState == "off-blocked" ? .blocked : .poweredOff
    }

    /// The properties that the mirror reads.
    ///
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
        .init("Modalias", clear: { $0.modalias = nil }) { (record, value) throws(DBusError) in
            record.modalias = try value.string()
        },
    ])
}

/// The properties of a GATT service in bluetoothd, and the characteristics below it.
///
/// Source: BlueZ, `gatt-api.txt`.
struct ServiceRecord {
    var uuid: BluetoothUUID?
    var isPrimary = true
    /// A number that distinguishes services with the same handle in one connection (Q60, Q111).
    ///
    /// The number is 0 if the service was read before discovery was complete. Otherwise it is unique.
    var epoch: UInt64 = 0
    /// The handles of the included services.
    var includes: [UInt16] = []
    var characteristics: [UInt16: CharacteristicRecord] = [:]

    // Q109, see docs/quirks.md.
    /// The battery service if bluetoothd hides it and reports the level itself.
    static let reportedBattery = ServiceRecord(
        uuid: 0x180F,
        characteristics: [reportedLevelHandle: CharacteristicRecord(uuid: 0x2A19, properties: [.read, .notify])])
    /// The handle of this service, and that of its level, which a real characteristic cannot have: its value follows.
    static let reportedBatteryHandle: UInt16 = 0xFFFE
    static let reportedLevelHandle: UInt16 = 0xFFFF

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

/// The properties of a battery in bluetoothd.
///
/// Source: BlueZ, `battery-api.txt`.
struct BatteryRecord {
    /// The level in percent; nil for values above 100.
    var percentage: UInt8?

    static let table = PropertyTable<BatteryRecord>([
        .init("Percentage", clear: { $0.percentage = nil }) { (record, value) throws(DBusError) in
            let percentage = try value.byte()
            record.percentage = percentage <= 100 ? percentage : nil
        }
    ])
}

/// The properties of a characteristic in bluetoothd, and the descriptors below it.
struct CharacteristicRecord {
    var uuid: BluetoothUUID?
    var properties: Characteristic.Properties = []
    /// The value in a signal; only kept until it is delivered.
    var value: [UInt8] = []
    /// The link's MTU; only kept until it is delivered.
    ///
    /// bluetoothd reports the MTU from 5.62 on, and only while there is a link (Q101).
    var mtu: UInt16?
    /// Whether bluetoothd has sockets for notifications of this characteristic: it reports `NotifyAcquired`.
    var hasNotifySocket = false
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
        .init("NotifyAcquired", clear: { $0.hasNotifySocket = false }) { (record, value) throws(DBusError) in
            _ = try value.bool()
            record.hasNotifySocket = true
        },
        mtuRow,
    ])

    /// The table for characteristics without subscribers to their values. It reads only the MTU.
    static let mtuTable = PropertyTable<CharacteristicRecord>([mtuRow])

    private static let mtuRow = PropertyTable<CharacteristicRecord>.Row("MTU", clear: { $0.mtu = nil }) {
        (record, value) throws(DBusError) in
        record.mtu = try value.uint16()
    }

    static let valued = table.changes(["Value"])
}

/// The properties of a descriptor in bluetoothd.
struct DescriptorRecord {
    var uuid: BluetoothUUID?

    static let table = PropertyTable<DescriptorRecord>([
        .init("UUID", clear: { $0.uuid = nil }) { (record, value) throws(DBusError) in
            record.uuid = try value.withString { BluetoothUUID(bytes: $0) }
        }
    ])
}
