/// How a scan reports. The defaults are those of CoreBluetooth.
public struct ScanOptions: Hashable, Sendable {
    /// Whether every advertisement is reported. Where not, which is the default, a peripheral is reported when it is
    /// first heard, and again when its name or the services that it lists change.
    public var allowsDuplicates: Bool
    /// Whether to begin with the peripherals that bluetoothd remembers, marked ``ScannedPeripheral/isCached``. They may
    /// be far away (Q53). Default: not.
    public var includesKnown: Bool

    /// Makes options.
    public init(allowsDuplicates: Bool = false, includesKnown: Bool = false) {
        self.allowsDuplicates = allowsDuplicates
        self.includesKnown = includesKnown
    }
}
