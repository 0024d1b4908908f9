/// Why a link ended, with the names and texts of BlueZ 5.83.
enum LinkEnd: String {
    case unknown = "Unknown"
    case timeout = "Timeout"
    case local = "Local"
    case remote = "Remote"
    case authentication = "Authentication"
    case suspend = "Suspend"

    var name: String { "org.bluez.Reason." + rawValue }

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
