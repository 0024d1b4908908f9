import RxBluetooth

/// Which retained messages must be received again, because the limit of received messages ignored some.
///
/// It waits until no message was ignored for a while, and then takes a few devices a second, so that the repair itself
/// stays below the limit. If messages are ignored during a repair, the next one waits longer.
struct SharingRepair: Hashable, Sendable {
    /// What is received again now.
    struct Step: Hashable, Sendable {
        var devices: [BluetoothAddress]
        /// Whether the availability of the gateways is received again.
        var isAvailabilityMissing: Bool
    }

    /// The next step is due then; nil if nothing is missing.
    private(set) var due: Duration?
    /// Only devices of the configuration, so their number is bounded.
    private var devices: Set<BluetoothAddress> = []
    private var isAvailabilityMissing = false
    private var delay = Self.initialDelay
    private var lastStep: Duration?

    private static let initialDelay = Duration.seconds(10)
    private static let maximumDelay = Duration.seconds(600)
    private static let devicesPerStep = 10

    /// Stores that a message about a device was ignored; nil for the availability of a gateway.
    mutating func miss(_ address: BluetoothAddress?, now: Duration) {
        if let address { devices.insert(address) } else { isAvailabilityMissing = true }
        if let lastStep {
            delay = now - lastStep < Self.maximumDelay ? min(delay * 2, Self.maximumDelay) : Self.initialDelay
            self.lastStep = nil
        }
        due = now + delay
    }

    /// Returns what is received again now; nil if nothing is due.
    mutating func take(now: Duration) -> Step? {
        guard let due, due <= now else { return nil }
        let next = devices.sorted().prefix(Self.devicesPerStep)
        devices.subtract(next)
        let step = Step(devices: Array(next), isAvailabilityMissing: isAvailabilityMissing)
        isAvailabilityMissing = false
        lastStep = now
        self.due = devices.isEmpty ? nil : now + .seconds(1)
        return step
    }

    /// Forgets everything, because a new connection receives all messages again.
    mutating func reset() {
        devices = []
        isAvailabilityMissing = false
        due = nil
    }
}
