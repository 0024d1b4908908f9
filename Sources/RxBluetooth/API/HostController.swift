/// Access to the controller of an adapter, for values that bluetoothd does not provide.
///
/// By default, a manager on the system bus reads the controllers of this machine, and a manager on a given bus has no
/// host controller, because the adapters of that bus may be simulated. Tests can implement this protocol: only
/// ``readRSSI(of:on:deadline:_:)`` is required, and the other methods have default implementations.
public protocol HostController: Sendable {
    /// Reads the RSSI of the link to a peripheral.
    ///
    /// Called on the thread of the bus, so the implementation must not block. Only the first call of `answer` before
    /// the deadline counts.
    ///
    /// - Parameters:
    ///   - address: The peripheral's address, as the controller knows it.
    ///   - adapter: The adapter's name, for example `hci0`.
    ///   - deadline: The time after which the answer is ignored.
    ///   - answer: Receives the RSSI in dBm or the error. The implementation may call it on any thread.
    func readRSSI(
        of address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void)

    /// Reads the facts of the link to a peripheral.
    ///
    /// Called on the thread of the bus, so the implementation must not block. Only the first call of `answer` before
    /// the deadline counts. In the default implementation, all facts are unknown.
    ///
    /// - Parameters:
    ///   - address: The peripheral's address, as the controller knows it.
    ///   - adapter: The adapter's name, for example `hci0`.
    ///   - deadline: The time after which the answer is ignored.
    ///   - answer: Receives the facts or the error. The implementation may call it on any thread.
    func readLink(
        to address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<LinkFacts, BluetoothError>) -> Void)

    /// Stores the timing for links to a peripheral.
    ///
    /// Called on the thread of the bus, so the implementation must not block. Only the first call of `answer` before
    /// the deadline counts. The default implementation answers with ``BluetoothError/Kind/unsupported``.
    ///
    /// - Parameters:
    ///   - parameters: The timing, which is valid.
    ///   - address: The peripheral's address, as the controller knows it.
    ///   - kind: Whether the address is public or random.
    ///   - adapter: The adapter's name, for example `hci0`.
    ///   - deadline: The time after which the answer is ignored.
    ///   - answer: Receives the error; nil if the timing is stored. The implementation may call it on any thread.
    func loadConnectionParameters(
        _ parameters: ConnectionParameters, for address: BluetoothAddress, _ kind: BluetoothAddress.Kind,
        on adapter: String, deadline: Duration, _ answer: @escaping @Sendable (BluetoothError?) -> Void)

    /// Ends a discovery in the kernel that a killed bluetoothd has started.
    ///
    /// The kernel continues such a discovery for up to 10.24 s, and a new bluetoothd cannot scan during this time.
    /// Called on the thread of the bus, so the implementation must not block. The default implementation does nothing.
    ///
    /// - Parameters:
    ///   - adapter: The adapter's name, for example `hci0`.
    ///   - done: Receives whether the discovery was ended. The implementation calls it once, on any thread.
    func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void)

    /// Reads the rfkill switches of this machine.
    ///
    /// ``BluetoothManager/diagnose()`` calls this method on the subscribing thread, and a failed
    /// ``BluetoothManager/setPowered(_:)`` on the thread of the bus, so the implementation must not block. The default
    /// implementation returns no switches.
    func radioSwitches() -> [RadioSwitch]
}

extension HostController {
    /// Answers that all facts are unknown.
    public func readLink(
        to address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<LinkFacts, BluetoothError>) -> Void
    ) { answer(.success(LinkFacts(unknownBecause: "the HostController does not read it"))) }

    /// Answers that the timing of links cannot be changed.
    public func loadConnectionParameters(
        _ parameters: ConnectionParameters, for address: BluetoothAddress, _ kind: BluetoothAddress.Kind,
        on adapter: String, deadline: Duration, _ answer: @escaping @Sendable (BluetoothError?) -> Void
    ) {
        answer(BluetoothError(.unsupported, detail: "The HostController does not change the timing of links"))
    }

    /// Does nothing, and reports that no discovery was ended.
    public func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void) { done(false) }

    /// Returns no switches.
    public func radioSwitches() -> [RadioSwitch] { [] }
}

/// An rfkill switch of a radio, as `rfkill list bluetooth` shows it.
///
/// Source: Linux, `Documentation/ABI/stable/sysfs-class-rfkill`.
public struct RadioSwitch: Hashable, Sendable {
    /// The name of the switch: an adapter's name such as `hci0`, or that of a switch of the machine.
    ///
    /// Characters that are not printable ASCII are replaced by `?`.
    public let name: String
    /// Whether software or a key blocks the radio, which `rfkill unblock bluetooth` unblocks.
    public let isSoftBlocked: Bool
    /// Whether a hardware switch blocks the radio, which only that switch unblocks.
    public let isHardBlocked: Bool

    /// Whether the radio is blocked by software or hardware.
    public var isBlocked: Bool { isSoftBlocked || isHardBlocked }

    /// Creates a description of a switch, for example for a test.
    public init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
        self.name = name
        self.isSoftBlocked = isSoftBlocked
        self.isHardBlocked = isHardBlocked
    }
}
