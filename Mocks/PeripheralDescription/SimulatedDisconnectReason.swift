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
