import DBus
import RxBluetoothSupport

/// The errors of bluetoothd: names and texts. Source: BlueZ 5.66, src/error.c.
enum BlueZError {
    static let invalidArguments = error("InvalidArguments", "Invalid arguments in method call")
    /// The error of `StartDiscovery` and `StopDiscovery` for any pending operation or failure (Q38).
    static let busy = error("InProgress", "Operation already in progress")
    static let inProgress = error("InProgress", "In Progress")
    static let notReady = error("NotReady", "Resource Not Ready")
    static let notConnected = error("NotConnected", "Not Connected")
    static let notSupported = error("NotSupported", "Operation is not supported")
    static let notAuthorized = error("NotAuthorized", "Operation Not Authorized")
    static let doesNotExist = error("DoesNotExist", "Does Not Exist")

    static let alreadyExists = error("AlreadyExists", "Already Exists")
    static let authenticationFailed = error("AuthenticationFailed", "Authentication Failed")
    static let authenticationCanceled = error("AuthenticationCanceled", "Authentication Canceled")
    static let authenticationRejected = error("AuthenticationRejected", "Authentication Rejected")
    static let authenticationTimeout = error("AuthenticationTimeout", "Authentication Timeout")

    static func invalidArguments(_ text: String) -> DBusError { error("InvalidArguments", text) }
    static func inProgress(_ text: String) -> DBusError { error("InProgress", text) }
    static func notReady(_ text: String) -> DBusError { error("NotReady", text) }
    static func notPermitted(_ text: String) -> DBusError { error("NotPermitted", text) }
    static func failed(_ text: String) -> DBusError { error("Failed", text) }

    /// Returns the D-Bus error to which src/gatt-client.c maps an ATT error code (Q96).
    static func att(_ code: UInt8) -> DBusError {
        switch code {
        case 0x02: return notPermitted("Read not permitted")
        case 0x03: return notPermitted("Write not permitted")
        case 0x05, 0x0C, 0x0F: return notPermitted("Not paired")
        case 0x06: return notSupported
        case 0x07: return invalidArguments("Invalid offset")
        case 0x08: return notAuthorized
        case 0x0D: return invalidArguments("Invalid Length")
        default:
            return failed("Operation failed with ATT error: 0x\(code.hexadecimal())")
        }
    }

    private static func error(_ name: String, _ text: String) -> DBusError {
        DBusError(name: "org.bluez.Error.\(name)", message: text)
    }
}
