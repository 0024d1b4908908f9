import DBus

/// A device object of bluetoothd, `org.bluez.Device1`.
final class DaemonDevice {
    let address: DeviceAddress
    let path: ObjectPath
    unowned let adapter: DaemonAdapter

    var name: String?
    var alias: String?
    var isTrusted = false
    var isBlocked = false
    /// The RSSI in dBm; 0 for none, as in bluetoothd (Q55).
    var rssi: Int16 = 0
    var txPower: Int16?
    var appearance: UInt16?
    /// The flags of the last advertisement, 0 if it has no flags; nil before the first advertisement.
    var flags: UInt8?
    /// Service UUIDs from advertisements. GATT discovery replaces them (Q58).
    var advertisedServices: [String] = []
    var resolvedServices: [String]?
    /// The advertised UUIDs that stay in `UUIDs` after discovery, if the version keeps them.
    var keptServices: Set<String> = []
    let manufacturerData = AdvertisedData<UInt16>(key: "q") { .uint16($0) }
    let serviceData = AdvertisedData<String>(key: "s") { .string($0) }
    var lastReport: AdvertisingReport?
    /// Cached signals for repetitions of the last report, by RSSI.
    var repeats: [Int16: Message] = [:]

    /// Whether the device is removed some time after it was last seen.
    private(set) var isTemporary = true
    private(set) var isConnectable = false
    /// When the device was last seen, in the seconds that ``TemporaryDeviceRemoval`` counts.
    private(set) var lastSeen = 0
    /// Whether the present scan found the device.
    var isFound = false

    /// The link to the peripheral; nil while not connected.
    var link: DaemonLink?
    var attempt: ConnectionAttempt?
    var areServicesResolved = false
    var disconnection: PendingDisconnection?
    /// Whether a service of a lost link still counts as connected, so that `RemoveDevice` keeps the device (Q138).
    var hasConnectedService = false
    /// Whether an answered `RemoveDevice` takes effect when the next link ends (Q138).
    var isRemovedWithLink = false
    /// Whether bluetoothd reconnects only after the next `Connect`, because a client ended the link (Q85).
    var isAutoConnectOff = false
    /// The security level of the bond; none if not bonded.
    var bond = SimulatedProtection.none
    var pairing: DaemonPairing?
    /// Whether the device is paired, but the change of `Paired` is not sent yet.
    var isPairedPending = false
    /// The call of `Pair` that waits for service discovery.
    var pairedCall: IncomingCall?
    /// The GATT objects after discovery. They outlive the link.
    var services: [RemoteService] = []
    /// The attribute table of the peripheral from which bluetoothd made `services`.
    var attributeTable: PeripheralGATTServer?
    var battery: Battery?
    var preferredBearer = "last-used"
    /// The interface of the LE bearer, if the version has it.
    var bearer: TypedInterface<DaemonDevice>?
    private(set) var object: ServedObject?

    init(_ address: DeviceAddress, on adapter: DaemonAdapter) {
        guard let path = adapter.path.appending(address.pathElement) else {
            preconditionFailure("\(address.text) makes no object path.")
        }
        self.address = address
        self.path = path
        self.adapter = adapter
        lastSeen = adapter.temporaryDevices.seconds
    }

    /// Creates a device from its stored record. bluetoothd has not received a packet of it yet (Q53).
    convenience init(_ record: DeviceStorage.StoredDevice, on adapter: DaemonAdapter) {
        self.init(record.address, on: adapter)
        name = record.name
        alias = record.alias
        isTrusted = record.isTrusted
        isBlocked = record.isBlocked
        bond = record.bond
        if !record.services.isEmpty { resolvedServices = record.services }
        keptServices = record.keptServices
        isTemporary = false
    }

    var tree: ObjectTree { adapter.tree }
    var loop: DaemonLoop { adapter.loop }
    var index: Index { adapter.tables.deviceIndex }

    /// Whether bluetoothd keeps a freed object of a characteristic, so that it crashes when it removes the device.
    var hasFreedSocket: Bool { services.contains(where: \.hasFreedSocket) }

    func appear() {
        let object = tree.add(TypedInterface(adapter.tables.device, of: self), at: path)
        self.object = object
        addBearer(to: object)
    }

    func disappear() {
        // The pending call of Connect is never answered, as in bluetoothd.
        attempt?.cancel()
        attempt = nil
        if let pairing {
            if pairing.isAsking { pairing.agent?.cancel() }
            pairing.timer?.cancel()
            loop.forget(pairing.token)
        }
        pairing = nil
        battery?.end()
        battery = nil
        if let object { tree.settle(object) }
        if let link {
            self.link = nil
            link.end()
        }
        for service in services { service.disappear() }
        services = []
        if let object { tree.remove(object) }
        object = nil
    }

    func changed(_ property: String) {
        if let object { tree.changed(object, property) }
    }

    func changed(_ property: Int) {
        if let object { tree.changed(object, property) }
    }

    // MARK: Temporary devices

    func markSeen(isConnectable: Bool) {
        self.isConnectable = isConnectable
        lastSeen = adapter.temporaryDevices.seconds
        if isTemporary, link == nil { adapter.temporaryDevices.start() }
    }

    /// Makes the device temporary or permanent.
    ///
    /// A device with a private address stays temporary (btd_device_set_temporary in src/device.c).
    func becomeTemporary(_ isTemporary: Bool) {
        guard isTemporary != self.isTemporary, !address.isPrivate else { return }
        self.isTemporary = isTemporary
        lastSeen = adapter.temporaryDevices.seconds
        if isTemporary { adapter.temporaryDevices.start() } else { store() }
    }

    func store() {
        guard !isTemporary else { return }
        adapter.storage.keep(
            DeviceStorage.StoredDevice(
                address: address, name: name, alias: alias, isTrusted: isTrusted, bond: bond,
                isBlocked: isBlocked, services: resolvedServices ?? [], keptServices: keptServices),
            of: adapter.hardware.address)
    }
}
