import DBus

/// What bluetoothd tells of a GATT service, and the characteristics below it. Source: BlueZ, `gatt-api.txt`.
struct ServiceRecord {
    var uuid: BluetoothUUID?
    var isPrimary = true
    var characteristics: [UInt16: CharacteristicRecord] = [:]

    static let table = PropertyTable<ServiceRecord>([
        .init("UUID", clear: { $0.uuid = nil }) { (record, value) throws(DBusError) in
            record.uuid = try value.withString { BluetoothUUID(bytes: $0) }
        },
        .init("Primary", clear: { $0.isPrimary = true }) { (record, value) throws(DBusError) in
            record.isPrimary = try value.bool()
        },
    ])
}

/// What bluetoothd tells of a characteristic, and the descriptors below it.
struct CharacteristicRecord {
    var uuid: BluetoothUUID?
    var properties: Characteristic.Properties = []
    /// The last value that came in a signal; only until it is handed on.
    var value: [UInt8] = []
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
    ])

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
