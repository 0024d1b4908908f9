/// A snapshot of one Bluetooth adapter of this machine.
///
/// ``BluetoothManager/adapters`` emits a new list after each change. Source: BlueZ, `adapter-api.txt`.
public struct Adapter: Hashable, Sendable {
    /// The kernel's name of the adapter, for example `hci0`.
    public let name: String
    /// The adapter's Bluetooth address; nil if bluetoothd does not report it.
    public let address: BluetoothAddress?
    /// The name that other devices see.
    public let alias: String
    /// The kernel's number of the adapter: 0 for `hci0`.
    ///
    /// The number may change when the adapter is plugged in again. ``address`` stays the same.
    public let number: Int
    /// Whether the adapter is powered on.
    public let isPowered: Bool
    /// The detailed power state; nil with BlueZ before 5.66, which does not report the state.
    public let powerState: PowerState?
    /// Whether the adapter supports the central role, so that it can scan and connect.
    ///
    /// Always true with BlueZ before 5.54, which does not report roles.
    public let isCentral: Bool
    /// Whether any program is scanning with the adapter.
    public let isDiscovering: Bool
    /// Whether the manager that emitted the snapshot works with the adapter.
    public let isSelected: Bool

    /// The power state of an adapter. Source: BlueZ, `adapter-api.txt`, `PowerState`.
    public enum PowerState: String, Hashable, Sendable {
        /// The adapter is on.
        case on
        /// The adapter is off.
        case off
        /// The adapter is being switched off.
        case onDisabling = "on-disabling"
        /// The adapter is being switched on.
        case offEnabling = "off-enabling"
        /// rfkill blocks the adapter, so that it cannot be switched on.
        case offBlocked = "off-blocked"
    }

    /// Returns snapshots of all adapters, ordered by number.
    static func list(_ records: [UInt16: AdapterRecord], selected: UInt16?) -> [Adapter] {
        records.values.sorted { $0.number < $1.number }.map {
            Adapter(
                name: "hci\($0.number)", address: $0.address, alias: $0.alias, number: Int($0.number),
                isPowered: $0.isPowered, powerState: $0.powerState.flatMap(PowerState.init(rawValue:)),
                isCentral: $0.isCentral, isDiscovering: $0.isDiscovering, isSelected: $0.number == selected)
        }
    }
}
