import DBus

/// The properties of one bearer of a device: LE or BR/EDR.
///
/// Since 5.83, bluetoothd shows the interfaces `Bearer.LE1` and `Bearer.BREDR1`, and their properties with `-E` only.
/// Source: BlueZ, `org.bluez.Bearer.LE.rst`.
struct BearerRecord {
    /// Whether the device is connected over the bearer; nil if bluetoothd does not report it.
    var isConnected: Bool?

    static let table = PropertyTable<BearerRecord>([
        .init("Connected", clear: { $0.isConnected = nil }) { (record, value) throws(DBusError) in
            record.isConnected = try value.bool()
        }
    ])

    init() {}

    /// Reads the properties in a message.
    init(_ body: inout MessageReader, rejected: inout Int) throws(DBusError) {
        _ = try Self.table.read(&body, into: &self, rejected: &rejected)
    }
}

/// The bearers of a device that bluetoothd shows.
struct Bearers {
    var lowEnergy: BearerRecord?
    var classic: BearerRecord?

    /// Whether the device has both bearers, and bluetoothd reports and controls them separately.
    ///
    /// `Device1.Connect` chooses a bearer itself, and connects the other one if one is connected already (Q83).
    var areSeparate: Bool { lowEnergy?.isConnected != nil && classic?.isConnected != nil }

    /// Accesses the record of an interface.
    subscript(interface: BlueZ.Interface) -> BearerRecord? {
        get { interface == .bearerLE ? lowEnergy : classic }
        set { if interface == .bearerLE { lowEnergy = newValue } else { classic = newValue } }
    }
}

extension DeviceRecord {
    /// Whether the device seems to be connected over BR/EDR only: it has no GATT services, but signs of BR/EDR.
    ///
    /// Without `Bearer.LE1`, bluetoothd does not report which bearer is connected. A list that contains only services
    /// which bluetoothd keeps to itself is that of a device without other services (Q109).
    var seemsClassicOnly: Bool {
        guard isConnected, services.isEmpty, bearers.lowEnergy?.isConnected == nil else { return false }
        let hidesAll = !listedServices.isEmpty && BlueZ.claimedServices.isSuperset(of: listedServices)
        return !hidesAll && ((deviceClass ?? 0) != 0 || listedServices.contains(where: \.isServiceClass))
    }
}

extension BluetoothUUID {
    /// Whether the UUID is a service class of BR/EDR. Source: Assigned Numbers, 3.3, service class identifiers.
    fileprivate var isServiceClass: Bool { shortNumber.map { (0x1000...0x14FF).contains($0) } ?? false }
}

extension BluetoothError {
    /// The reason of ``Kind/connectFailed(_:)`` for a device that is connected, but not over LE (Q134).
    static let classicOnly = "br-edr-only"

    static let classicOnlyLink = BluetoothError(
        .connectFailed(classicOnly),
        detail: "The device is connected over BR/EDR and not over LE, so it has no services")
}

// MARK: - Bearers in the mirror

extension ObjectMirror {
    /// Adds the bearers that one message contains.
    ///
    /// - Parameter isSnapshot: Whether the device may follow later in the message.
    func addBearers(_ bearers: [(BlueZ.Interface, BearerRecord)], to key: DeviceKey, _ isSnapshot: Bool) {
        guard let device = isSnapshot ? record(of: key) : devices[key] else { return }
        for (interface, bearer) in bearers { setBearer(interface, bearer, of: device) }
    }

    /// Sets a bearer of a device, and reports whether the device is connected if this changes.
    func setBearer(_ interface: BlueZ.Interface, _ bearer: BearerRecord?, of device: DeviceRecord) {
        let wasConnected = device.isConnected
        device.bearers[interface] = bearer
        guard isSynced, device.isConnected != wasConnected else { return }
        observer.deviceChanged(
            DeviceChange(
                device: device, set: DeviceRecord.connected, all: DeviceRecord.connected, wasConnected: wasConnected))
    }
}
