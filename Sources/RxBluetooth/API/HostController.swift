/// Access to the controller of an adapter, for values that bluetoothd does not provide.
///
/// A manager for the system bus uses ``HCIController``. A manager with a given bus has none by default, because the
/// adapters behind that bus may not belong to this machine. Tests provide their own implementation.
public protocol HostController: Sendable {
    /// Reads the RSSI of the link to a peripheral.
    ///
    /// Called in the bus context, so it must not block. Only the first call of `answer` before the deadline counts.
    ///
    /// - Parameters:
    ///   - address: The peripheral's address, as the controller knows it.
    ///   - adapter: The adapter's name, for example `hci0`.
    ///   - deadline: The time after which the answer is ignored.
    ///   - answer: Receives the RSSI in dBm or the error. May be called on any thread.
    func readRSSI(
        of address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void)

    /// Ends a discovery of the kernel that a killed bluetoothd has left behind.
    ///
    /// The kernel continues such a discovery for up to 10.24 s, and the next bluetoothd cannot scan until it ends.
    /// Called in the bus context, so it must not block. The default implementation does nothing.
    ///
    /// - Parameters:
    ///   - adapter: The adapter's name, for example `hci0`.
    ///   - done: Receives whether the discovery was ended. Call it once, on any thread.
    func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void)

    /// Reads the rfkill switches of this machine.
    ///
    /// ``BluetoothManager/diagnose()`` calls it on the subscribing thread. The default implementation returns none.
    func radioSwitches() -> [RadioSwitch]
}

extension HostController {
    /// Does nothing, and reports that no discovery was ended.
    public func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void) { done(false) }

    /// Returns no switches.
    public func radioSwitches() -> [RadioSwitch] { [] }
}

/// An rfkill switch of a radio, as `rfkill list bluetooth` shows it.
///
/// Source: Linux, `Documentation/ABI/stable/sysfs-class-rfkill`.
public struct RadioSwitch: Hashable, Sendable {
    /// The name: that of the adapter, for example `hci0`, or of a switch of the machine.
    ///
    /// Characters that are not printable ASCII are replaced by `?`.
    public let name: String
    /// Whether software or a key blocks the radio; `rfkill unblock bluetooth` unblocks it.
    public let isSoftBlocked: Bool
    /// Whether a hardware switch blocks the radio; only that switch unblocks it.
    public let isHardBlocked: Bool

    /// Whether the radio is blocked by software or hardware.
    public var isBlocked: Bool { isSoftBlocked || isHardBlocked }

    /// Creates a switch with these states.
    public init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
        self.name = name
        self.isSoftBlocked = isSoftBlocked
        self.isHardBlocked = isHardBlocked
    }
}
