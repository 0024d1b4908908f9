public import FoundationEssentials

/// One sighting of a peripheral by a scan.
public struct ScannedPeripheral: Sendable {
    /// The peripheral; the same object each time that it is seen.
    public let peripheral: Peripheral
    /// What it advertised.
    public let advertisementData: AdvertisementData
    /// The strength at which it was heard, in dBm, from -127 to +20; nil where bluetoothd does not know it (Q55).
    public let rssi: Int16?
    /// Whether this comes from bluetoothd's memory: it was not heard since this scan began (Q53).
    public let isCached: Bool
    /// When this process heard of it.
    public let timestamp: Date
}
