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
