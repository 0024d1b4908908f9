import DBus

/// What this computer is to say of itself, so that others see it in their scans.
///
/// There is room for 31 bytes, of which flags take 3; the name goes into the answer to a scan, which has room for as many.
/// Source: BlueZ, `advertising-api.txt`, `LEAdvertisement1`.
public struct Advertisement: Hashable, Sendable {
    /// The name. Default nil: none.
    public var localName: String?
    /// The services that are listed. Default: none.
    public var services: [BluetoothUUID]
    /// Data of manufacturers, by company number. Default: none.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Data of services. Default: none.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// What the computer looks like, as the Bluetooth SIG numbers it. Default nil: it is not said.
    public var appearance: UInt16?
    /// Whether others may connect to this computer. Default: not, it is a broadcast.
    public var isConnectable: Bool

    /// Makes an advertisement.
    public init(
        localName: String? = nil, services: [BluetoothUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:], appearance: UInt16? = nil, isConnectable: Bool = false
    ) {
        self.localName = localName
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.appearance = appearance
        self.isConnectable = isConnectable
    }

    /// As bluetoothd reads it. A property that is not there is not advertised.
    var properties: [String: Value] {
        var properties: [String: Value] = ["Type": .string(isConnectable ? "peripheral" : "broadcast")]
        if let localName { properties["LocalName"] = .string(localName) }
        if !services.isEmpty { properties["ServiceUUIDs"] = .strings(services.map(\.longText)) }
        if !manufacturerData.isEmpty {
            properties["ManufacturerData"] = .dictionary(
                key: "q", value: "v",
                manufacturerData.sorted { $0.key < $1.key }
                    .map { Value.Entry(.uint16($0.key), .variant(.bytes($0.value))) })
        }
        if !serviceData.isEmpty {
            properties["ServiceData"] = .properties(
                Dictionary(uniqueKeysWithValues: serviceData.map { ($0.key.longText, .bytes($0.value)) }))
        }
        if let appearance { properties["Appearance"] = .uint16(appearance) }
        return properties
    }
}
