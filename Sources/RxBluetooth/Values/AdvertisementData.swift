/// The advertised data of a device: the latest value of each kind that bluetoothd received.
///
/// bluetoothd merges a device's advertisements and scan responses, and does not show the single packets. With the
/// kernel's management socket as ``ScanSource``, ``rawData`` has the latest packet. To test a
/// parser, make a value with the data that the parser expects, for example
/// `AdvertisementData(manufacturerData: [0x0059: [1, 2]])`. Source: BlueZ, `device-api.txt`.
public struct AdvertisementData: Hashable, Sendable {
    // If a device has no name, bluetoothd derives an alias from the address. That alias is not used as the name (Q56).
    /// The advertised name; nil if there is none.
    public internal(set) var localName: String?
    /// The transmit power that the device advertises, in dBm; nil if it advertises none.
    public internal(set) var txPowerLevel: Int16?
    /// The manufacturer data, by company identifier.
    ///
    /// The dictionary is made for each access. ``manufacturerData(of:)`` is faster.
    public var manufacturerData: [UInt16: [UInt8]] { manufacturers.entries }
    /// The service data, by service UUID.
    ///
    /// The dictionary is made for each access. ``serviceData(of:)`` is faster.
    public var serviceData: [BluetoothUUID: [UInt8]] { services.entries }
    var manufacturers = AdvertisedBytes<UInt16>.empty
    var services = AdvertisedBytes<BluetoothUUID>.empty
    /// The services that the device lists in its advertisements.
    public internal(set) var serviceUUIDs: [BluetoothUUID]
    /// The appearance value of the Bluetooth SIG; nil if the device advertises none.
    public internal(set) var appearance: UInt16?
    /// The advertised flags, one byte or more; nil if there are none.
    public internal(set) var flags: [UInt8]?
    /// Whether the device accepts connections; nil if unknown.
    ///
    /// bluetoothd does not report whether an advertisement is connectable, so the value is nil at first. It becomes
    /// true when the device is connected or has a bond, and then stays true.
    public internal(set) var isConnectable: Bool?
    /// The bytes of the latest packet: its AD structures; nil for data from bluetoothd.
    ///
    /// Scans that use the kernel's management socket have raw data, see ``ScanSource``. In an active scan, the kernel
    /// usually reports an advertisement and its scan response as one packet. The other properties also contain values
    /// of earlier packets; ``init(packet:)`` returns those of one packet only.
    public internal(set) var rawData: [UInt8]?

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
        localName: String? = nil, txPowerLevel: Int16? = nil, manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:], serviceUUIDs: [BluetoothUUID] = [], appearance: UInt16? = nil,
        flags: [UInt8]? = nil, isConnectable: Bool? = nil
    ) {
        self.localName = localName
        self.txPowerLevel = txPowerLevel
        manufacturers = AdvertisedBytes(manufacturerData)
        services = AdvertisedBytes(serviceData)
        self.serviceUUIDs = serviceUUIDs
        self.appearance = appearance
        self.flags = flags
        self.isConnectable = isConnectable
    }

    /// Returns the manufacturer data with this company identifier; nil if there is none.
    public func manufacturerData(of company: UInt16) -> [UInt8]? { manufacturers[company] }

    /// Returns the data of a service; nil if there is none.
    public func serviceData(of service: BluetoothUUID) -> [UInt8]? { services[service] }
}

extension AdvertisementData {
    /// Whether the device lists a service in its advertisements.
    func lists(_ service: BluetoothUUID) -> Bool { serviceUUIDs.contains(service) }

    // Checks the data also, because some devices send data of a service that they do not list (Q44).
    /// Whether the device lists a service or advertises data of the service.
    func contains(_ service: BluetoothUUID) -> Bool { serviceUUIDs.contains(service) || services[service] != nil }
}
