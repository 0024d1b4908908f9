/// One of the machine's Bluetooth adapters, as it was when this value was made.
public struct Adapter: Hashable, Sendable {
    /// The name that the kernel gave it, for example `hci0`.
    public let name: String
    /// Its address; nil where bluetoothd did not tell.
    public let address: BluetoothAddress?
    /// The name that other devices see.
    public let alias: String
    /// The number that the kernel gave it: 0 for `hci0`. One that is plugged in again may get another (Q28).
    public let number: Int
    /// Whether it is on.
    public let isPowered: Bool
    /// How its power stands; nil before BlueZ 5.66, which does not tell.
    public let powerState: PowerState?
    /// Whether it can be a central, so that it can scan and connect. True before BlueZ 5.54, which does not tell.
    public let isCentral: Bool
    /// Whether any program scans with it now.
    public let isDiscovering: Bool
    /// Whether the manager works with it.
    public let isSelected: Bool

    /// How an adapter's power stands. Source: BlueZ, `adapter-api.txt`, `PowerState`.
    public enum PowerState: String, Hashable, Sendable {
        /// It is on.
        case on
        /// It is off.
        case off
        /// It is being switched off.
        case onDisabling = "on-disabling"
        /// It is being switched on.
        case offEnabling = "off-enabling"
        /// rfkill keeps it off (Q30).
        case offBlocked = "off-blocked"
    }

    static func list(_ records: [UInt16: AdapterRecord], selected: UInt16?) -> [Adapter] {
        records.values.sorted { $0.number < $1.number }.map {
            Adapter(
                name: "hci\($0.number)", address: $0.address, alias: $0.alias, number: Int($0.number),
                isPowered: $0.isPowered, powerState: $0.powerState.flatMap(PowerState.init(rawValue:)),
                isCentral: $0.isCentral, isDiscovering: $0.isDiscovering, isSelected: $0.number == selected)
        }
    }
}
