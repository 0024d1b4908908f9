/// One of the machine's Bluetooth adapters, as it was when this value was made.
public struct Adapter: Hashable, Sendable {
    /// The name that the kernel gave it, for example `hci0`.
    public let name: String
    /// Its address; nil where bluetoothd did not tell.
    public let address: BluetoothAddress?
    /// The name that other devices see.
    public let alias: String
    /// Whether it is on.
    public let isPowered: Bool
    /// Whether any program scans with it now.
    public let isDiscovering: Bool
    /// Whether the manager works with it.
    public let isSelected: Bool

    static func list(_ records: [UInt16: AdapterRecord], selected: UInt16?) -> [Adapter] {
        records.values.sorted { $0.number < $1.number }.map {
            Adapter(
                name: "hci\($0.number)", address: $0.address, alias: $0.alias, isPowered: $0.isPowered,
                isDiscovering: $0.isDiscovering, isSelected: $0.number == selected)
        }
    }
}
