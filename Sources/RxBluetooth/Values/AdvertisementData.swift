import Synchronization

/// The advertised data of a device: the latest value of each kind that bluetoothd received.
///
/// bluetoothd merges a device's advertisements and scan responses, and does not show the single packets. With the
/// kernel's management socket as ``ScanSource``, ``rawData`` has the latest packet. To test a
/// parser, make a value with the data that the parser expects, for example
/// `AdvertisementData(manufacturerData: [0x0059: [1, 2]])`. Source: BlueZ, `device-api.txt`.
// Guard for `@unchecked`: the values change only while one AdvertisementData refers to the storage. What was decoded
// from them has a lock.
public struct AdvertisementData: @unchecked Sendable {
    // The values are in an object that copies share, because a scan copies each result several times.
    private var storage: Storage

    private final class Storage {
        @exclusivity(unchecked) var values: AdvertisedValues
        let decoded = Mutex(DecodedSections())

        init(_ values: AdvertisedValues) { unsafe self.values = values }
    }

    /// The advertised name; nil if there is none.
    public var localName: String? { values.localName }
    /// The transmit power that the device advertises, in dBm; nil if it advertises none.
    public var txPowerLevel: Int? { values.txPowerLevel }
    /// The manufacturer data, by company identifier.
    ///
    /// The dictionary is made for each access. ``manufacturerData(of:)`` is faster.
    public var manufacturerData: [UInt16: [UInt8]] { values.manufacturers.entries }
    /// The service data, by service UUID.
    ///
    /// The dictionary is made for each access. ``serviceData(of:)`` is faster.
    public var serviceData: [BluetoothUUID: [UInt8]] { values.services.entries }
    /// The services that the device lists in its advertisements.
    public var serviceUUIDs: [BluetoothUUID] { values.serviceUUIDs }
    /// The appearance value of the Bluetooth SIG; nil if the device advertises none.
    public var appearance: UInt16? { values.appearance }
    /// The advertised flags, one byte or more; nil if there are none.
    public var flags: [UInt8]? { values.flags }
    /// Whether the device accepts connections; nil if unknown.
    ///
    /// bluetoothd does not report whether an advertisement is connectable, so the value is nil at first. It becomes
    /// true when the device is connected or has a bond, and then stays true.
    public var isConnectable: Bool? { values.isConnectable }
    /// The bytes of the latest packet: its AD structures; nil for data from bluetoothd.
    ///
    /// Scans that use the kernel's management socket have raw data, see ``ScanSource``. In an active scan, the kernel
    /// usually reports an advertisement and its scan response as one packet. The other properties also contain values
    /// of earlier packets; ``init(packet:)`` returns those of one packet only.
    public var rawData: [UInt8]? { values.rawData }

    /// Makes advertised data, for example to test a parser.
    ///
    /// - Parameters:
    ///   - localName: The advertised name. Default: none.
    ///   - txPowerLevel: The transmit power in dBm. Default: none.
    ///   - manufacturerData: Manufacturer data, by company identifier. Default: none.
    ///   - serviceData: Service data, by service UUID. Default: none.
    ///   - serviceUUIDs: The services that the device lists. Default: none.
    ///   - appearance: The appearance value of the Bluetooth SIG. Default: none.
    ///   - flags: The advertised flags. Default: none.
    ///   - isConnectable: Whether the device accepts connections. Default: unknown.
    public init(
        localName: String? = nil, txPowerLevel: Int? = nil, manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:], serviceUUIDs: [BluetoothUUID] = [], appearance: UInt16? = nil,
        flags: [UInt8]? = nil, isConnectable: Bool? = nil
    ) {
        self.init(
            AdvertisedValues(
                localName: localName, manufacturers: AdvertisedBytes(manufacturerData),
                services: AdvertisedBytes(serviceData), serviceUUIDs: serviceUUIDs, flags: flags,
                txPowerLevel: txPowerLevel, appearance: appearance, isConnectable: isConnectable))
    }

    private init(_ values: AdvertisedValues) { storage = Storage(values) }

    /// Data without any value.
    static let empty = AdvertisementData(AdvertisedValues())

    /// Returns the manufacturer data with this company identifier; nil if there is none.
    public func manufacturerData(of company: UInt16) -> [UInt8]? { values.manufacturers[company] }

    /// Returns the data of a service; nil if there is none.
    public func serviceData(of service: BluetoothUUID) -> [UInt8]? { values.services[service] }

    /// The manufacturer data and the service data as they are stored.
    var storedEntries: (AdvertisedBytes<UInt16>, AdvertisedBytes<BluetoothUUID>) {
        (values.manufacturers, values.services)
    }

    // `unsafe`: the values change only while one AdvertisementData refers to the storage, and it is accessed
    // exclusively. So a check of each access at run time is not needed.
    /// The values. A change copies them if other data shares them.
    var values: AdvertisedValues {
        _read { yield unsafe storage.values }
        _modify {
            makeUnique()
            yield unsafe &storage.values
        }
    }

    /// Accesses what was decoded from the values. Copies share it.
    func withDecoded<Result>(_ body: (inout sending DecodedSections) -> sending Result) -> sending Result {
        storage.decoded.withLock(body)
    }

    private mutating func makeUnique() {
        if isKnownUniquelyReferenced(&storage) {
            storage.decoded.withLock { $0.removeAll() }
        } else {
            storage = Storage(values)
        }
    }
}

extension AdvertisementData: Hashable {
    public static func == (one: Self, other: Self) -> Bool {
        one.storage === other.storage || one.values == other.values
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension AdvertisementData: CustomReflectable {
    /// The public properties, which `print` and `dump` show.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "localName": localName as Any, "txPowerLevel": txPowerLevel as Any,
                "manufacturerData": manufacturerData,
                "serviceData": serviceData, "serviceUUIDs": serviceUUIDs, "appearance": appearance as Any,
                "flags": flags as Any, "isConnectable": isConnectable as Any, "rawData": rawData as Any,
            ], displayStyle: .struct)
    }
}

/// The values of ``AdvertisementData``, which describes them.
struct AdvertisedValues: Hashable, Sendable {
    // The largest fields come first, because a crowd has many values.
    // If a device has no name, bluetoothd derives an alias from the address. That alias is not used as the name (Q56).
    var localName: String?
    var manufacturers = AdvertisedBytes<UInt16>.empty
    var services = AdvertisedBytes<BluetoothUUID>.empty
    var serviceUUIDs: [BluetoothUUID] = []
    var rawData: [UInt8]?
    var flags: [UInt8]?
    var txPowerLevel: Int?
    var appearance: UInt16?
    var isConnectable: Bool?
}

extension AdvertisementData {
    /// Whether the device lists a service in its advertisements.
    func lists(_ service: BluetoothUUID) -> Bool { serviceUUIDs.contains(service) }

    // Checks the data also, because some devices send data of a service that they do not list (Q44).
    /// Whether the device lists a service or advertises data of the service.
    func contains(_ service: BluetoothUUID) -> Bool {
        serviceUUIDs.contains(service) || serviceData(of: service) != nil
    }
}
