/// The advertised data of a device: the latest value of each kind that bluetoothd received.
///
/// bluetoothd merges a device's advertisements and scan responses, and does not show the single packets. To test a
/// parser, make a value with the data that it expects: `AdvertisementData(manufacturerData: [0x0059: [1, 2]])`. Source:
/// BlueZ, `device-api.txt`.
public struct AdvertisementData: Hashable, Sendable {
    // bluetoothd's alias, made up from the address, is never the name (Q56).
    /// The advertised name; nil if there is none.
    public internal(set) var localName: String?
    /// The transmit power that the device advertises, in dBm; nil if it advertises none.
    public internal(set) var txPowerLevel: Int16?
    /// Manufacturer data, by company number.
    public internal(set) var manufacturerData: [UInt16: [UInt8]]
    /// Service data, by service.
    public internal(set) var serviceData: [BluetoothUUID: [UInt8]]
    /// The services that the device lists.
    public internal(set) var serviceUUIDs: [BluetoothUUID]
    /// The appearance value of the Bluetooth SIG; nil if the device advertises none.
    public internal(set) var appearance: UInt16?
    /// The advertised flags, one byte or more; nil if there are none.
    public internal(set) var flags: [UInt8]?
    /// Whether the device accepts connections; nil if unknown.
    ///
    /// bluetoothd does not report this before a connection: it is nil until a connection was made or a bond exists, and
    /// true from then on.
    public internal(set) var isConnectable: Bool?

    /// Makes advertised data, for example to test a parser.
    ///
    /// - Parameters:
    ///   - localName: The advertised name. Default: none.
    ///   - txPowerLevel: The transmit power in dBm. Default: none.
    ///   - manufacturerData: Manufacturer data, by company number. Default: none.
    ///   - serviceData: Service data, by service. Default: none.
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
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.serviceUUIDs = serviceUUIDs
        self.appearance = appearance
        self.flags = flags
        self.isConnectable = isConnectable
    }
}

extension AdvertisementData {
    /// Whether a service is listed.
    func lists(_ service: BluetoothUUID) -> Bool { serviceUUIDs.contains(service) }

    // Some devices send data of a service that they do not list (Q44).
    /// Whether a service is listed or has data.
    func contains(_ service: BluetoothUUID) -> Bool { serviceUUIDs.contains(service) || serviceData[service] != nil }
}
