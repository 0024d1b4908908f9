import DBus

/// What bluetoothd and the bus call an error, and what it is to us (BLUEZ.md, section 3). The first row that fits decides.
/// Names and texts are compared here and nowhere else; a program looks at ``BluetoothError/kind``.
enum ErrorTable {
    /// One row: a name, where it matters a text, and what that comes to.
    struct Row: Sendable {
        let name: String
        let text: Text
        let meaning: Meaning
    }

    /// Which texts a row is for.
    enum Text: Sendable {
        case any
        case anyOf([String])
        case begins(String)
        case ends(String)
        case has(String)

        func fits(_ text: String) -> Bool {
            switch self {
            case .any: true
            case .anyOf(let all): all.contains(text)
            case .begins(let start): text.hasPrefix(start)
            case .ends(let end): text.hasSuffix(end)
            case .has(let part): text.has(part)
            }
        }
    }

    /// What a row comes to.
    enum Meaning: Sendable {
        case kind(BluetoothError.Kind)
        /// What the operation was meant for is not there any more.
        case gone
        /// The connection did not come about; the text is the reason.
        case connectFailed
        /// The same while connecting, and else an error that has no row.
        case connectFailedIfConnecting
        /// Pairing did not come about; the name is the reason.
        case pairingFailed
    }

    static let rows: [Row] = bus + bluez + failed

    /// The row of an error; nil where there is none.
    static func row(of error: DBusError) -> Int? {
        rows.firstIndex { $0.name == error.name && $0.text.fits(error.message) }
    }

    private static let bus: [Row] = [
        row(bus: "ServiceUnknown", "NameHasNoOwner", is: .kind(.daemonUnavailable)),
        row(
            bus: "Disconnected", "NoServer", "FileNotFound", "BadAddress", "IOError", "NoNetwork",
            is: .kind(.busUnavailable)),
        row(bus: "AccessDenied", "AuthFailed", is: .kind(.permissionDenied)),
        row(bus: "NoReply", "Timeout", "TimedOut", is: .kind(.timedOut)),
        row(bus: "LimitsExceeded", "NoMemory", is: .kind(.resourceExhausted)),
        row(bus: "UnknownObject", is: .gone),
        // An old libdbus on the daemon's side answers so for an object that is gone; the text tells (Q82).
        row(bus: "UnknownMethod", text: .has("doesn't exist"), is: .gone),
        row(bus: "UnknownMethod", "UnknownInterface", "UnknownProperty", is: .kind(.unsupported)),
        row(bus: "InvalidArgs", is: .kind(.invalidArgument)),
        row(bus: "InvalidSignature", is: .kind(.protocolViolation)),
    ].flatMap(\.self)

    private static let bluez: [Row] = [
        row("NotReady", is: .kind(.adapterOff)),
        row("Blocked", is: .kind(.adapterBlocked)),
        row("InProgress", "Busy", is: .kind(.busy)),
        row("AlreadyConnected", is: .kind(.alreadyConnected)),
        row("NotConnected", is: .kind(.notConnected)),
        row("NoSuchAdapter", is: .kind(.noAdapter)),
        row("DoesNotExist", is: .gone),
        row("NotAvailable", "NotSupported", "Unsupported", "AgentNotAvailable", is: .kind(.unsupported)),
        row("NotAuthorized", is: .kind(.notAuthorized)),
        row("NotPermitted", text: .anyOf(["Not paired"]), is: .kind(.needsPairing)),
        row("NotPermitted", text: .anyOf(["Write acquired", "Notify acquired"]), is: .kind(.exclusiveUse)),
        row("NotPermitted", text: .anyOf(["Maximum advertisements reached"]), is: .kind(.noFreeSlot)),
        row("NotPermitted", is: .kind(.notPermitted)),
        row(
            "InvalidArguments", "InvalidLength", "InvalidOffset", "InvalidValueLength", is: .kind(.invalidArgument)),
        row("ImproperlyConfigured", is: .kind(.attError)),
        row(
            "AuthenticationCanceled", "AuthenticationFailed", "AuthenticationRejected", "AuthenticationTimeout",
            "ConnectionAttemptFailed", is: .pairingFailed),
    ].flatMap(\.self)

    /// What bluetoothd has no name for, it calls `Failed`, and the text tells.
    private static let failed: [Row] = [
        row("Failed", text: .anyOf(["Not connected", "Not Connected", "No ATT transport"]), is: .kind(.notConnected)),
        row("Failed", text: .ends("-connection-adapter-not-powered"), is: .kind(.adapterOff)),
        row("Failed", text: .ends("-connection-busy"), is: .kind(.busy)),
        row("Failed", text: .ends("-connection-concurrent-connection-limit"), is: .kind(.noFreeSlot)),
        row("Failed", text: .anyOf(["le-connection-gatt-browsing"]), is: .kind(.discoveryFailed)),
        row("Failed", text: .ends("-key-missing"), is: .kind(.bondLost)),
        row("Failed", text: .begins("Operation failed with ATT error"), is: .kind(.attError)),
        row("Failed", text: .anyOf(["Failed to parse advertisement."]), is: .kind(.invalidArgument)),
        row("Failed", text: .begins("le-connection-"), is: .connectFailed),
        row("Failed", text: .begins("br-connection-"), is: .connectFailed),
        // Daemons before 5.62 gave the text of errno (Q77).
        row("Failed", is: .connectFailedIfConnecting),
    ].flatMap(\.self)

    private static func row(bus names: String..., text: Text = .any, is meaning: Meaning) -> [Row] {
        names.map { Row(name: "org.freedesktop.DBus.Error." + $0, text: text, meaning: meaning) }
    }

    private static func row(_ names: String..., text: Text = .any, is meaning: Meaning) -> [Row] {
        names.map { Row(name: "org.bluez.Error." + $0, text: text, meaning: meaning) }
    }
}

extension String {
    /// Whether a text stands in it.
    fileprivate func has(_ part: String) -> Bool { indices.contains { self[$0...].hasPrefix(part) } }
}
