import DBus

/// The properties of a device in bluetoothd, and the services below it.
///
/// A class, so that a signal changes the record in place after one look-up, and the mirror's table stays small.
final class DeviceRecord {
    // The largest fields come first, because a crowd has many records.
    let key: DeviceKey
    var name: String?
    /// `Alias`: the name that the user has given, else the name or the address with dashes (Q56).
    private var alias: String?
    /// What advertisements of the device have set.
    var reception = Reception()
    /// The property `UUIDs`: the advertised services, and after `ServicesResolved` all that bluetoothd has read.
    var listedServices: [BluetoothUUID] = []
    var services: [UInt16: ServiceRecord] = [:]
    /// The user's object for the device, retained as long as bluetoothd has the device (S46).
    var peripheral: Peripheral?
    /// When bluetoothd last showed a new attribute during this connection; nil if it has shown none.
    private(set) var attributeAddedAt: MonotonicTime?
    /// When bluetoothd last signalled that the device is connected; nil if it was connected when it was first shown.
    var connectedAt: MonotonicTime?
    /// The present address. After bonding it may differ from the address in the object path (Q62).
    var address: BluetoothAddress?
    /// `Class`: the class of a device that supports BR/EDR; nil for others.
    var deviceClass: UInt32?
    var addressKind: BluetoothAddress.Kind?
    var battery = BatteryRecord()
    /// `Connected`: whether the device is connected over any bearer.
    var isConnectedOverAny = false { didSet { connectionChanged() } }
    var bearers = Bearers() { didSet { connectionChanged() } }
    var isResolved = false {
        didSet {
            wasResolved = wasResolved || isResolved
            if !isResolved { isAddedAfterResolved = false }
        }
    }
    /// Whether bluetoothd has signalled `UUIDs` during this connection, so that it lists what was read.
    private(set) var isListOfConnection = false
    /// Whether the device may have advertised the battery service, so that the list alone does not show that it has it.
    private(set) var mayAdvertiseBattery = false
    /// Whether bluetoothd has shown a new attribute after `ServicesResolved`.
    private(set) var isAddedAfterResolved = false
    /// Whether `UUIDs` may contain GATT services, which bluetoothd keeps after a connection (Q58).
    private var wasResolved = false
    /// `Bonded`; nil before BlueZ 5.65, which only has `Paired`.
    var bonded: Bool?
    var isPaired = false
    /// Whether the last link has ended while the device had no bond, so that bluetoothd may have kept a pairing (Q136).
    var hasLostLink = false
    /// Whether the last link was aborted at once, while the device was bonded.
    var wasAborted = false
    /// Whether bluetoothd has shown the device itself, and not only objects below it.
    var isListed = false

    /// Whether the device is connected over LE, as far as bluetoothd reports it.
    var isConnected: Bool { isConnectedOverAny && bearers.lowEnergy?.isConnected != false }
    var isBonded: Bool { bonded ?? isPaired }
    /// The services, with the battery service if bluetoothd hides it, and reports a level or will do so.
    ///
    /// bluetoothd reads the first level after the services, so a list of the connection with the service is enough.
    func shownServices(by version: BlueZVersion?) -> [UInt16: ServiceRecord] {
        let isReported = battery.percentage != nil || isListOfConnection && hidesBattery(version)
        return isReported ? servicesWithBattery : services
    }
    /// The services, with the battery service also if bluetoothd hides it and reports no level yet.
    var servicesWithBattery: [UInt16: ServiceRecord] {
        if services.values.contains(where: { $0.uuid == 0x180F }) { return services }
        return services.merging([ServiceRecord.reportedBatteryHandle: .reportedBattery]) { shown, _ in shown }
    }

    var rssi: Int16? {
        get { reception.rssi }
        set { reception.rssi = newValue }
    }

    var advertisement: AdvertisementData {
        get { reception.advertisement }
        _modify { yield &reception.advertisement }
    }

    /// The values that a packet of the management socket changes. One value, so that a packet needs one access.
    struct Reception {
        var rssi: Int16?
        /// Whether bluetoothd has signalled a change since the last packet from the management socket.
        var isSignalled = false
        /// The last scan session in which the device was received.
        var lastSession = 0
        var advertisement = AdvertisementData.empty
    }

    init(key: DeviceKey) { self.key = key }

    /// The properties that the mirror reads.
    ///
    /// Source: BlueZ, `device-api.txt`.
    static let table = PropertyTable<DeviceRecord>([
        .init("RSSI", clear: { $0.rssi = nil }) { (record, value) throws(DBusError) in
            // 0 and 127 mean that there is no RSSI. bluetoothd uses 0 for “absent”, because 0 dBm does not occur (Q55);
            // controllers use 127.
            let rssi = try value.int16()
            guard rssi == 127 || (-127...20).contains(rssi) else { throw .malformed("\(rssi) dBm is not an RSSI.") }
            record.rssi = rssi == 0 || rssi == 127 ? nil : rssi
        },
        .init("ManufacturerData", clear: { $0.advertisement.values.manufacturers = .empty }) {
            (record, value) throws(DBusError) in
            let old = record.advertisement.values.manufacturers
            record.advertisement.values.manufacturers = try old.updated(&value) { (company) throws(DBusError) in
                try company.uint16()
            }
        },
        .init("ServiceData", clear: { $0.advertisement.values.services = .empty }) {
            (record, value) throws(DBusError) in
            let old = record.advertisement.values.services
            record.advertisement.values.services = try old.updated(&value) { (uuid) throws(DBusError) in
                try uuid.withString { BluetoothUUID(bytes: $0) }
            }
        },
        .init(
            "UUIDs",
            clear: {
                $0.advertisement.values.serviceUUIDs = []; $0.listedServices = []
            }
        ) { (record, value) throws(DBusError) in
            var uuids: [BluetoothUUID] = []
            try value.array { (element) throws(DBusError) in
                if let uuid = try element.withString({ BluetoothUUID(bytes: $0) }) { uuids.append(uuid) }
            }
            record.recordBattery(in: uuids)
            record.listedServices = uuids
            record.isListOfConnection = record.isConnected
            // During a connection, `UUIDs` has the GATT services, so a known advertised list is kept (Q58). An empty
            // list is replaced: a device that was connected before its first advertisement has no other list.
            guard record.advertisement.values.serviceUUIDs.isEmpty || !record.isConnected && !record.isResolved else {
                return
            }
            record.advertisement.values.serviceUUIDs = uuids
        },
        .init("TxPower", clear: { $0.advertisement.values.txPowerLevel = nil }) { (record, value) throws(DBusError) in
            record.advertisement.values.txPowerLevel = Int(try value.int16())
        },
        .init("AdvertisingFlags", clear: { $0.advertisement.values.flags = nil }) { (record, value) throws(DBusError) in
            record.advertisement.values.flags = try value.bytes()
        },
        .init("Appearance", clear: { $0.advertisement.values.appearance = nil }) { (record, value) throws(DBusError) in
            record.advertisement.values.appearance = try value.uint16()
        },
        .init(
            "Name",
            clear: {
                $0.name = nil; $0.advertisement.values.localName = nil
            }
        ) { (record, value) throws(DBusError) in
            record.name = try value.string()
            record.advertisement.values.localName = record.name.flatMap(DeviceRecord.trimmed)
        },
        .init("Alias", clear: { $0.alias = nil }) { (record, value) throws(DBusError) in
            record.alias = try value.string()
        },
        .init("Address", clear: { $0.address = nil }) { (record, value) throws(DBusError) in
            record.address = try value.withString { BluetoothAddress(bytes: $0, separator: UInt8(ascii: ":")) }
        },
        .init("AddressType", clear: { $0.addressKind = nil }) { (record, value) throws(DBusError) in
            record.addressKind = BluetoothAddress.Kind(rawValue: try value.string())
        },
        .init("Connected", clear: { $0.isConnectedOverAny = false }) { (record, value) throws(DBusError) in
            record.isConnectedOverAny = try value.bool()
            if record.isConnected { record.becomeConnectable() }
        },
        .init("ServicesResolved", clear: { $0.isResolved = false }) { (record, value) throws(DBusError) in
            record.isResolved = try value.bool()
        },
        .init("Bonded", clear: { $0.bonded = nil }) { (record, value) throws(DBusError) in
            record.bonded = try value.bool()
            if record.isBonded { record.becomeConnectable() }
        },
        .init("Class", clear: { $0.deviceClass = nil }) { (record, value) throws(DBusError) in
            record.deviceClass = try value.uint32()
        },
        .init("Paired", clear: { $0.isPaired = false }) { (record, value) throws(DBusError) in
            record.isPaired = try value.bool()
        },
    ])

    /// The properties that an advertisement sets. Changes of other properties are not advertisements (Q51).
    static let advertised = table.changes(
        ["RSSI", "ManufacturerData", "ServiceData", "UUIDs", "TxPower", "AdvertisingFlags", "Appearance", "Name"])
    /// The properties that an advertisement of a connected device sets.
    ///
    /// The name and the service list then come from the device itself (Q58).
    static let advertisedWhileConnected = table.changes(["RSSI", "ManufacturerData", "ServiceData", "TxPower"])
    static let connected = table.changes(["Connected"])
    static let resolved = table.changes(["ServicesResolved"])
    static let bonding = table.changes(["Bonded", "Paired"])
    /// The properties that ``DeviceValueObservers`` observe.
    static let observed = table.changes(["Bonded", "Paired", "Connected"])
    static let addressed = table.changes(["Address"])
    static let named = table.changes(["Name"])
    static let aliased = table.changes(["Alias"])
    /// The properties that a scan's filters compare, although no advertisement sets them during a connection.
    static let filtered = table.changes(["UUIDs", "Name"])

    /// Records that bluetoothd shows a new service, characteristic or descriptor.
    func recordAttribute(at time: MonotonicTime) {
        guard isConnected else { return }
        attributeAddedAt = time
        if isResolved { isAddedAfterResolved = true }
    }

    private func connectionChanged() {
        if isConnected { return recordAdvertisedBattery() }
        attributeAddedAt = nil
        isAddedAfterResolved = false
        isListOfConnection = false
    }

    /// Records a battery service that is listed before bluetoothd has read the services.
    ///
    /// The first list of an object may come from advertisements, too, although the device is connected.
    private func recordBattery(in uuids: [BluetoothUUID]) {
        guard !isListed || !isConnected && !wasResolved, uuids.contains(0x180F) else { return }
        mayAdvertiseBattery = true
    }

    /// Records a battery service in the packets before a connection, which need not be in a signal of `UUIDs`.
    private func recordAdvertisedBattery() {
        guard !wasResolved, !isListOfConnection else { return }
        let isAdvertised =
            advertisement.serviceUUIDs.contains(0x180F) || advertisement.serviceData(of: 0x180F) != nil
        if isAdvertised { mayAdvertiseBattery = true }
    }

    private func becomeConnectable() {
        if advertisement.isConnectable != true { advertisement.values.isConnectable = true }
    }

    /// Sets the name to the one of a packet, because bluetoothd's signals are not received.
    func takeName(_ advertised: String?) {
        guard let advertised, advertised != name.flatMap(Self.trimmed) else { return }
        // The alias changes with the name, unless the user has given it. The signal that says so is not received.
        if alias == name { alias = advertised }
        name = advertised
        updatePeripheral()
    }

    /// Replaces the properties with those that bluetoothd has now.
    ///
    /// Returns the changes that advertisements do not cause; nil if there is none.
    func refresh(from record: DeviceRecord) -> DeviceChange? {
        let wasConnected = isConnected
        if record.mayAdvertiseBattery, !wasConnected, !wasResolved { mayAdvertiseBattery = true }
        var set = Changes()
        if let address = record.address, address != self.address { set.formUnion(Self.addressed) }
        if isConnected != record.isConnected { set.formUnion(Self.connected) }
        if isResolved != record.isResolved { set.formUnion(Self.resolved) }
        if isBonded != record.isBonded || isPaired != record.isPaired { set.formUnion(Self.bonding) }
        var all = set
        if name != record.name { all.formUnion(Self.named) }
        if alias != record.alias { all.formUnion(Self.aliased) }
        address = record.address
        addressKind = record.addressKind
        name = record.name
        alias = record.alias
        listedServices = record.listedServices
        isConnectedOverAny = record.isConnectedOverAny
        bearers = record.bearers
        isResolved = record.isResolved
        bonded = record.bonded
        isPaired = record.isPaired
        deviceClass = record.deviceClass
        let known = advertisement.serviceUUIDs
        reception.rssi = record.rssi
        reception.advertisement = record.advertisement
        if !known.isEmpty, isConnected || wasResolved || !services.isEmpty {
            advertisement.values.serviceUUIDs = known
        }
        reception.isSignalled = true
        updatePeripheral()
        return all.isEmpty ? nil : DeviceChange(device: self, set: set, all: all, wasConnected: wasConnected)
    }

    func updatePeripheral() {
        peripheral?.update(name: name.flatMap { $0.isEmpty ? nil : $0 }, alias: givenAlias, kind: addressKind)
    }

    /// The name that the user has given the device; nil if the alias is bluetoothd's own.
    private var givenAlias: String? {
        guard let alias, !alias.isEmpty, alias != name else { return nil }
        let isOfAddress = [address, key.address].contains { $0.map { alias == $0.text(separator: "-") } == true }
        return isOfAddress ? nil : alias
    }

    /// Returns a name without trailing NULs and blanks (Q57); nil if nothing remains.
    static func trimmed(_ name: String) -> String? {
        var scalars = name.unicodeScalars[...]
        while let last = scalars.last, last == "\0" || last == " " { scalars.removeLast() }
        return scalars.isEmpty ? nil : String(scalars)
    }
}
