/// How a connection to a peripheral behaves.
public struct SimulatedConnection: Sendable {
    /// The time from the call of `Connect` until the link exists. Default: 0.15 s.
    public var delay: Duration
    /// The time that bluetoothd needs to read the GATT table, from the link to `ServicesResolved`.
    ///
    /// Default: 0.1 s.
    public var discovery: Duration
    /// How long one read or write takes. Default: 15 ms.
    public var roundTrip: Duration
    /// How many connection attempts fail before one succeeds.
    ///
    /// Each of them fails after ``delay`` with `le-connection-abort-by-local`. Default: 0.
    public var failures: Int
    /// How long the link exists before the peripheral drops it; nil if the peripheral does not drop it.
    public var dropsAfter: Duration?
    /// The negotiated ATT MTU in bytes, 23 to 517.
    public var mtu: UInt16

    /// Creates a description. The defaults are those of an ordinary, reliable peripheral.
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

/// Why a link ended. BlueZ 5.83 and later send this reason in the signal `Device1.Disconnected`.
public enum SimulatedDisconnectReason: String, CaseIterable, Sendable {
    /// The kernel gave no reason.
    case unknown = "Unknown"
    /// The supervision timeout expired.
    case timeout = "Timeout"
    /// This computer ended the link.
    case local = "Local"
    /// The peripheral ended the link.
    case remote = "Remote"
    /// Authentication failed.
    case authentication = "Authentication"
    /// This computer was suspended.
    case suspend = "Suspend"

    /// The name of the reason in the signal.
    var name: String { "org.bluez.Reason." + rawValue }

    /// The text of the reason in the signal. Source: src/device.c of BlueZ 5.83.
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
