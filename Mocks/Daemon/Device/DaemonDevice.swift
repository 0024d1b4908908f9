import DBus

/// A device that an adapter knows, `org.bluez.Device1`.
final class DaemonDevice {
    let address: DeviceAddress
    let path: ObjectPath
    unowned let adapter: DaemonAdapter

    var name: String?
    var alias: String?
    var isTrusted = false
    var isBlocked = false
    /// 0 for none, as bluetoothd keeps it (Q55).
    var rssi: Int16 = 0
    var txPower: Int16?
    var appearance: UInt16?
    /// The flags of the last advertisement, 0 for one without them; nil before the first.
    var flags: UInt8?
    /// Service UUIDs from advertisements, until GATT discovery knows better (Q58).
    var advertisedServices: [String] = []
    var resolvedServices: [String]?
    let manufacturerData = AdvertisedData<UInt16>(key: "q") { .uint16($0) }
    let serviceData = AdvertisedData<String>(key: "s") { .string($0) }
    var lastReport: AdvertisingReport?
    /// What is said when the last report comes again, by strength.
    var repeats: [Int16: Message] = [:]

    /// Forgotten some time after it was last seen, unless it is connected.
    private(set) var isTemporary = true
    private(set) var isConnectable = false
    /// The adapter's second in which it was last seen.
    private(set) var lastSeen = 0
    /// It has reported since the scan began.
    var isFound = false

    /// The link, while it is connected.
    var link: DaemonLink?
    var attempt: ConnectionAttempt?
    var areServicesResolved = false
    var disconnection: PendingDisconnection?
    /// Its link was ended on demand, and it is not to be connected by itself until somebody connects it (Q85).
    var isAutoConnectOff = false
    /// How well its keys protect a link; none where it is not bonded.
    var bond = SimulatedProtection.none
    var pairing: DaemonPairing?
    /// It was paired, and nobody was told yet.
    var isPairedPending = false
    /// The call of `Pair` that waits for the services.
    var pairedCall: IncomingCall?
    /// The objects of its GATT server, once discovered; they outlive the link.
    var services: [RemoteService] = []
    var battery: Battery?
    var preferredBearer = "last-used"
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

    /// A device as bluetoothd finds it on disk: known, but not seen (Q53).
    convenience init(_ record: DeviceStorage.StoredDevice, on adapter: DaemonAdapter) {
        self.init(record.address, on: adapter)
        name = record.name
        alias = record.alias
        isTrusted = record.isTrusted
        isBlocked = record.isBlocked
        bond = record.bond
        if !record.services.isEmpty { resolvedServices = record.services }
        isTemporary = false
    }

    var tree: ObjectTree { adapter.tree }
    var loop: DaemonLoop { adapter.loop }

    func appear() { object = tree.add(TypedInterface(adapter.deviceTable, of: self), at: path) }

    func disappear() {
        // An attempt under way is never answered: so it is with the real one.
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

    // MARK: How long it is remembered

    func markSeen(isConnectable: Bool) {
        self.isConnectable = isConnectable
        lastSeen = adapter.temporaryDevices.seconds
        if isTemporary, link == nil { adapter.temporaryDevices.start() }
    }

    /// Devices with private addresses are always temporary (btd_device_set_temporary in src/device.c).
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
                isBlocked: isBlocked, services: resolvedServices ?? []),
            of: adapter.hardware.address)
    }
}
