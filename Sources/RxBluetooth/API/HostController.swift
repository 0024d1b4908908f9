/// What an adapter's controller tells only when it is asked directly, since bluetoothd does not pass it on: a seam, so that
/// tests answer in its place. ``HCIController`` asks the real one.
///
/// A manager that is made for the system bus has ``HCIController``; one that is given its bus has none unless it is given
/// one too, because what stands behind that bus may be no adapter of this machine.
public protocol HostController: Sendable {
    /// Asks how strong a peripheral's link is received.
    ///
    /// It is called in the bus's context, so it must not block. `answer` may be called on any thread, at once or later, once;
    /// what comes after the first, or after the deadline, is dropped.
    ///
    /// - Parameters:
    ///   - adapter: The adapter's name, for example `hci0`.
    ///   - address: The peripheral's address, as the controller knows it.
    ///   - deadline: After which nobody waits for the answer any more.
    ///   - answer: Gets the strength in dBm, or why it is not known.
    func readRSSI(
        of address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void)

    /// Ends what an adapter's controller is looking for. A bluetoothd that was killed in the middle of a scan leaves the kernel
    /// looking for up to 10.24 s, and its successor refuses every scan meanwhile (Q38).
    ///
    /// It is called in the bus's context, so it must not block. `done` may be called on any thread, once, with whether it was
    /// ended. Default: nothing is ended.
    func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void)

    /// The switches by which the kernel may keep the adapters off, for ``BluetoothManager/diagnose()``, which calls it where
    /// it is subscribed to. Default: none.
    func radioSwitches() -> [RadioSwitch]
}

extension HostController {
    /// Ends nothing.
    public func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void) { done(false) }

    /// None.
    public func radioSwitches() -> [RadioSwitch] { [] }
}

/// A switch by which the kernel keeps a radio off, as `rfkill list bluetooth` shows it.
/// Source: Linux, `Documentation/ABI/stable/sysfs-class-rfkill`.
public struct RadioSwitch: Hashable, Sendable {
    /// Its name: that of the adapter, for example `hci0`, or of a switch of the machine. What is no printable ASCII is shown as `?`.
    public let name: String
    /// Whether a program or a key has switched the radio off; `rfkill unblock bluetooth` switches it on.
    public let isSoftBlocked: Bool
    /// Whether a switch in hardware has; only that switches it on again.
    public let isHardBlocked: Bool

    /// Whether the radio is kept off.
    public var isBlocked: Bool { isSoftBlocked || isHardBlocked }

    /// Makes one.
    public init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
        self.name = name
        self.isSoftBlocked = isSoftBlocked
        self.isHardBlocked = isHardBlocked
    }
}
