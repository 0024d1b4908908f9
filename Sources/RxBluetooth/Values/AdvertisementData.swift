/// What a device tells about itself before anybody connects: the latest of everything that bluetoothd has heard.
///
/// bluetoothd merges a device's advertisements and scan responses, and D-Bus does not show where one packet ends and the
/// next begins (Q52). Source: BlueZ, `device-api.txt`.
public struct AdvertisementData: Hashable, Sendable {
    /// The advertised name; nil where there is none. bluetoothd's made-up alias is never given as a name (Q56).
    public internal(set) var localName: String?
    /// The power at which the device says it sends, in dBm; nil where it does not say.
    public internal(set) var txPowerLevel: Int16?
    /// Manufacturer data, by company number.
    public internal(set) var manufacturerData: [UInt16: [UInt8]] = [:]
    /// Service data, by service.
    public internal(set) var serviceData: [BluetoothUUID: [UInt8]] = [:]
    /// The services that the device lists.
    public internal(set) var serviceUUIDs: [BluetoothUUID] = []
    /// What the device looks like, as the Bluetooth SIG numbers it; nil where it does not say.
    public internal(set) var appearance: UInt16?
    /// The flags that were advertised; nil where there were none.
    public internal(set) var flags: [UInt8]?
    /// Whether the device can be connected. bluetoothd tells nothing of this before a connection, so
    /// it is nil until one was made or a bond exists, and true from then on.
    public internal(set) var isConnectable: Bool?

    init() {}
}

extension AdvertisementData {
    /// Whether a service is listed.
    func lists(_ service: BluetoothUUID) -> Bool { serviceUUIDs.contains(service) }

    /// Whether a service is listed, or has data: some devices send a service's data and do not list the service (Q44).
    func contains(_ service: BluetoothUUID) -> Bool { serviceUUIDs.contains(service) || serviceData[service] != nil }
}
