import DBus

/// What bluetoothd tells of a device, and the services below it.
struct DeviceRecord {
    let key: DeviceKey
    var addressKind: BluetoothAddress.Kind?
    var name: String?
    var alias: String?
    var rssi: Int16?
    var advertisement = AdvertisementData()
    var isConnected = false
    var isResolved = false
    var isBonded = false
    /// The scan session in which it was heard last.
    var seenIn = 0
    /// The object for the user; kept here while bluetoothd keeps the device (S46).
    var peripheral: Peripheral?
    var services: [UInt16: ServiceRecord] = [:]

    init(key: DeviceKey) { self.key = key }

    /// Source: BlueZ, `device-api.txt`.
    static let table = PropertyTable<DeviceRecord>([
        .init("RSSI") { (record, value) throws(DBusError) in
            // bluetoothd stores "absent" as 0, and a real 0 dBm does not happen (Q55).
            let rssi = try value.int16()
            record.rssi = rssi == 0 ? nil : rssi
        } clear: { $0.rssi = nil },
        .init("ManufacturerData") { (record, value) throws(DBusError) in
            record.advertisement.manufacturerData = try Self.manufacturerData(&value)
        } clear: { $0.advertisement.manufacturerData = [:] },
        .init("ServiceData") { (record, value) throws(DBusError) in
            record.advertisement.serviceData = try Self.serviceData(&value)
        } clear: { $0.advertisement.serviceData = [:] },
        .init("UUIDs") { (record, value) throws(DBusError) in
            // After a connection this is the list of GATT services; what was advertised stays (Q58).
            guard !record.isConnected, !record.isResolved else { return }
            var uuids: [BluetoothUUID] = []
            try value.array { (element) throws(DBusError) in
                if let uuid = try element.withString({ BluetoothUUID(bytes: $0) }) { uuids.append(uuid) }
            }
            record.advertisement.serviceUUIDs = uuids
        } clear: { $0.advertisement.serviceUUIDs = [] },
        .init("TxPower") { (record, value) throws(DBusError) in
            record.advertisement.txPowerLevel = try value.int16()
        } clear: { $0.advertisement.txPowerLevel = nil },
        .init("AdvertisingFlags") { (record, value) throws(DBusError) in
            record.advertisement.flags = try value.bytes()
        } clear: { $0.advertisement.flags = nil },
        .init("Appearance") { (record, value) throws(DBusError) in
            record.advertisement.appearance = try value.uint16()
        } clear: { $0.advertisement.appearance = nil },
        .init("Name") { (record, value) throws(DBusError) in
            record.name = try value.string()
            record.advertisement.localName = record.name.flatMap(Self.trimmed)
        } clear: {
            $0.name = nil
            $0.advertisement.localName = nil
        },
        .init("Alias") { (record, value) throws(DBusError) in
            record.alias = try value.string()
        } clear: { $0.alias = nil },
        .init("AddressType") { (record, value) throws(DBusError) in
            record.addressKind = BluetoothAddress.Kind(rawValue: try value.string())
        } clear: { $0.addressKind = nil },
        .init("Connected") { (record, value) throws(DBusError) in
            record.isConnected = try value.bool()
            if record.isConnected { record.advertisement.isConnectable = true }
        } clear: { $0.isConnected = false },
        .init("ServicesResolved") { (record, value) throws(DBusError) in
            record.isResolved = try value.bool()
        } clear: { $0.isResolved = false },
        .init("Bonded") { (record, value) throws(DBusError) in
            record.isBonded = try value.bool()
            if record.isBonded { record.advertisement.isConnectable = true }
        } clear: { $0.isBonded = false },
    ])

    /// The properties that an advertisement brings; a change of any other is not a sighting (Q51).
    static let advertised = table.changes(
        ["RSSI", "ManufacturerData", "ServiceData", "UUIDs", "TxPower", "AdvertisingFlags", "Appearance", "Name"])
    static let connected = table.changes(["Connected"])
    static let resolved = table.changes(["ServicesResolved"])
    static let named = table.changes(["Name"])

    private static func manufacturerData(_ value: inout MessageReader) throws(DBusError) -> [UInt16: [UInt8]] {
        var data: [UInt16: [UInt8]] = [:]
        try value.dictionary { (entry) throws(DBusError) in
            let company = try entry.uint16()
            data[company] = try entry.variant { (content) throws(DBusError) in try content.bytes() }
        }
        return data
    }

    private static func serviceData(_ value: inout MessageReader) throws(DBusError) -> [BluetoothUUID: [UInt8]] {
        var data: [BluetoothUUID: [UInt8]] = [:]
        try value.dictionary { (entry) throws(DBusError) in
            let uuid = try entry.withString { BluetoothUUID(bytes: $0) }
            let bytes = try entry.variant { (content) throws(DBusError) in try content.bytes() }
            if let uuid { data[uuid] = bytes }
        }
        return data
    }

    /// Names come padded with NULs and blanks (Q57); one that is nothing else is no name.
    private static func trimmed(_ name: String) -> String? {
        var scalars = name.unicodeScalars[...]
        while let last = scalars.last, last == "\0" || last == " " { scalars.removeLast() }
        return scalars.isEmpty ? nil : String(scalars)
    }
}
