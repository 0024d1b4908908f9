/// How connecting to a peripheral goes.
public struct SimulatedConnection: Sendable {
    /// From the call of `Connect` to the link. Default: 0.15 s.
    public var delay: Duration
    /// From the link to `ServicesResolved`: how long bluetoothd takes to read the GATT tables. Default: 0.1 s.
    public var discovery: Duration
    /// How long one read or write takes over the air. Default: 15 ms.
    public var roundTrip: Duration
    /// How many attempts fail first, each after ``delay`` with `le-connection-abort-by-local` (Q77). Default: none.
    public var failures: Int
    /// When the peripheral drops the link after it came up; nil for never.
    public var dropsAfter: Duration?
    /// The largest ATT packet, in bytes, as agreed with bluetoothd: 23 to 517.
    public var mtu: UInt16

    /// Describes how connecting goes; what is left out is an ordinary, reliable peripheral.
    public init(
        delay: Duration = .milliseconds(150), discovery: Duration = .milliseconds(100),
        roundTrip: Duration = .milliseconds(15), failures: Int = 0, dropsAfter: Duration? = nil, mtu: UInt16 = 517
    ) {
        self.delay = delay
        self.discovery = discovery
        self.roundTrip = roundTrip
        self.failures = failures
        self.dropsAfter = dropsAfter
        self.mtu = mtu
    }
}

/// Why a link ended, as daemons from 5.83 on tell it by the signal `Device1.Disconnected` (Q86).
public enum SimulatedDisconnectReason: String, CaseIterable, Sendable {
    /// The kernel did not say.
    case unknown = "Unknown"
    /// The peripheral was not heard for too long.
    case timeout = "Timeout"
    /// This computer ended it.
    case local = "Local"
    /// The peripheral ended it.
    case remote = "Remote"
    /// A bond did not hold.
    case authentication = "Authentication"
    /// This computer went to sleep.
    case suspend = "Suspend"

    /// The name that goes over the bus.
    var name: String { "org.bluez.Reason." + rawValue }

    /// The text that comes with the name. Source: src/device.c of BlueZ 5.83.
    var text: String {
        switch self {
        case .unknown: "Unspecified"
        case .timeout: "Connection timeout"
        case .local: "Connection terminated by local host"
        case .remote: "Connection terminated by remote user"
        case .authentication: "Connection terminated due to authentication failure"
        case .suspend: "Connection terminated by local host for suspend"
        }
    }
}
