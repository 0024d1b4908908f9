import DBus

/// What bluetoothd and the bus call an error, and what it is to us (BLUEZ.md, section 3). The first row that fits decides.
/// Names and texts are compared here and nowhere else; a program looks at ``BluetoothError/kind``.
enum ErrorTable {
    /// One row: a name, where it matters a text, and what that comes to.
    struct Row: Sendable {
        let name: String
        let text: Text
        let meaning: Meaning
        /// The ATT code that it stands for, where it always stands for the same.
        var attCode: UInt8?
    }

    /// Which texts a row is for.
    enum Text: Sendable {
        case any
        case anyOf([String])
        case begins(String)
        case ends(String)
        case has(String)

        func matches(_ text: String) -> Bool {
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
        /// The same, but where an object may be there without its interface, that.
        case goneOrUnsupported
        /// The connection did not come about; the text is the reason.
        case connectFailed
        /// The operation did not succeed, and the text is the reason where there is a kind for it.
        case failed
        /// An operation on an attribute was refused by the peripheral with the row's ATT code; another operation, by bluetoothd.
        case refused(BluetoothError.Kind)
        /// Pairing did not come about; the name is the reason.
        case pairingFailed

        /// Whether a row's ATT code counts for an operation.
        fileprivate func bringsATTCode(_ operation: BluetoothError.Operation) -> Bool {
            if case .refused = self { operation.isOnAttribute } else { true }
        }
    }

    static let rows: [Row] = bus + bluez + failed

    /// The row of an error; nil where there is none.
    static func row(of error: DBusError) -> Int? {
        rows.firstIndex { $0.name == error.name && $0.text.matches(error.message) }
    }

    /// The ATT code of an error: its row's, or the one that stands in the text, “Operation failed with ATT error: 0x81” (Q96).
    static func attCode(of error: DBusError, during operation: BluetoothError.Operation) -> UInt8? {
        if let row = row(of: error).map({ rows[$0] }), let code = row.attCode {
            return row.meaning.bringsATTCode(operation) ? code : nil
        }
        guard error.message.hasPrefix(attError), let mark = error.message.range(ofLast: "0x") else { return nil }
        return UInt8(error.message[mark...].prefix { $0.isHexDigit }, radix: 16)
    }

    /// The reason of a connection that was tried over classic Bluetooth, where the peripheral offers nothing that BlueZ uses.
    static let profileUnavailable = "br-connection-profile-unavailable"
    /// What a second `Connect` or `StartDiscovery` is refused with while the first is under way.
    static let alreadyInProgress = "Operation already in progress"
    private static let attError = "Operation failed with ATT error"

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
        row(bus: "UnknownMethod", text: .has("doesn't exist"), is: .goneOrUnsupported),
        row(bus: "UnknownMethod", "UnknownInterface", "UnknownProperty", is: .kind(.unsupported)),
        row(bus: "InvalidArgs", is: .kind(.invalidArgument)),
        row(bus: "InvalidSignature", is: .kind(.protocolViolation)),
    ].flatMap(\.self)

    private static let bluez: [Row] = [
        row("NotReady", is: .kind(.adapterOff)),
        row("Blocked", is: .kind(.adapterBlocked)),
        row("InProgress", "Busy", is: .kind(.busy)),
        row("AlreadyConnected", is: .kind(.alreadyConnected)),
        // An object of that name, or a bond (Q89, Q92). Where it was to be there, it is as good as a success.
        row("AlreadyExists", is: .kind(.alreadyDone)),
        row("NotConnected", is: .kind(.notConnected)),
        row("NoSuchAdapter", is: .kind(.noAdapter)),
        row("DoesNotExist", is: .gone),
        // The table in BLUEZ.md has this text under `Failed` only. `Failed` has it where a profile answers ENOPROTOOPT; what a device
        // without a profile gets is this. Source: BlueZ 5.66, `src/device.c`, `connect_profiles`. Later ones have a name for it.
        row("NotAvailable", text: .anyOf([profileUnavailable]), is: .connectFailed),
        row("BREDR.ProfileUnavailable", is: .kind(.connectFailed(profileUnavailable))),
        // What a characteristic does not offer is not asked for, so these two come from the peripheral.
        // Source: BlueZ 5.66, `src/gatt-client.c`, `create_gatt_dbus_error`.
        row("NotSupported", is: .refused(.unsupported), att: 0x06),
        row("NotAuthorized", is: .refused(.notAuthorized), att: 0x08),
        row("NotAvailable", "Unsupported", "AgentNotAvailable", is: .kind(.unsupported)),
        row("NotPermitted", text: .anyOf(["Not paired"]), is: .kind(.needsPairing)),
        row("NotPermitted", text: .anyOf(["Write acquired", "Notify acquired"]), is: .kind(.exclusiveUse)),
        row("NotPermitted", text: .anyOf(["Maximum advertisements reached"]), is: .kind(.noFreeSlot)),
        row("NotPermitted", text: .anyOf(["Read not permitted"]), is: .kind(.notPermitted), att: 0x02),
        row("NotPermitted", text: .anyOf(["Write not permitted"]), is: .kind(.notPermitted), att: 0x03),
        row("NotPermitted", is: .kind(.notPermitted)),
        row("InvalidArguments", text: .anyOf(["Invalid offset"]), is: .kind(.invalidArgument), att: 0x07),
        row("InvalidArguments", text: .anyOf(["Invalid Length"]), is: .kind(.invalidArgument), att: 0x0D),
        row("InvalidArguments", "InvalidLength", is: .kind(.invalidArgument)),
        // The documents list these for reading and writing; bluetoothd itself hears them, from programs that serve attributes, and
        // takes them for these codes. Source: BlueZ 5.76, `src/gatt-database.c`, `dbus_error_to_att_ecode`; 5.66 has the first two.
        row("InvalidOffset", is: .kind(.invalidArgument), att: 0x07),
        row("InvalidValueLength", is: .kind(.invalidArgument), att: 0x0D),
        row("ImproperlyConfigured", is: .kind(.attError), att: 0xFD),
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
        row("Failed", text: .begins(attError), is: .kind(.attError)),
        row("Failed", text: .anyOf(["Failed to parse advertisement."]), is: .kind(.invalidArgument)),
        row("Failed", text: .anyOf(["No discovery started", "No notify session started"]), is: .kind(.alreadyDone)),
        // Of LE devices, while another call of `Connect` is pending (Q119). Source: BlueZ 5.66, `src/device.c`, `dev_connect`.
        row("Failed", text: .anyOf([alreadyInProgress]), is: .kind(.busy)),
        row("Failed", text: .begins("le-connection-"), is: .connectFailed),
        row("Failed", text: .begins("br-connection-"), is: .connectFailed),
        row("Failed", is: .failed),
    ].flatMap(\.self)

    private static func row(bus names: String..., text: Text = .any, is meaning: Meaning) -> [Row] {
        names.map { Row(name: "org.freedesktop.DBus.Error." + $0, text: text, meaning: meaning) }
    }

    private static func row(
        _ names: String..., text: Text = .any, is meaning: Meaning, att attCode: UInt8? = nil
    ) -> [Row] {
        names.map { Row(name: "org.bluez.Error." + $0, text: text, meaning: meaning, attCode: attCode) }
    }
}

extension BluetoothError.Operation {
    /// Whether bluetoothd asks the peripheral's GATT server for it.
    fileprivate var isOnAttribute: Bool {
        switch self {
        case .read, .write, .readDescriptor, .writeDescriptor, .notify: true
        case .readState, .scan, .connect, .disconnect, .discover, .readRSSI, .pair, .trust, .forget, .advertise: false
        }
    }
}

extension String {
    /// Whether a text stands in it.
    fileprivate func has(_ part: String) -> Bool { indices.contains { self[$0...].hasPrefix(part) } }

    /// The index after the last appearance of `mark`; nil where it does not appear.
    fileprivate func range(ofLast mark: String) -> Index? {
        var index = endIndex
        while index > startIndex {
            if self[..<index].hasSuffix(mark) { return index }
            index = self.index(before: index)
        }
        return nil
    }
}

/// Errors of the bus and of bluetoothd as errors of ours, by ``ErrorTable``.
extension BluetoothError {
    /// An error that did not come of anything that a user asked for.
    init(_ error: DBusError) {
        let error = BluetoothError(error, operation: .readState, target: nil)
        self.init(error.kind, dbusName: error.dbusName, dbusMessage: error.dbusMessage)
    }

    init(_ error: DBusError, operation: Operation, target: String?) {
        self.init(
            Self.kind(of: error, during: operation), operation: operation, target: target, dbusName: error.name,
            dbusMessage: error.message, attCode: ErrorTable.attCode(of: error, during: operation))
    }

    /// An error of an operation on a characteristic or one of its descriptors. From 5.80 on, bluetoothd itself refuses writes to the
    /// services that it keeps, with the error that otherwise stands for the peripheral's ATT 0x08 (Q109).
    init(_ error: DBusError, operation: Operation, on characteristic: Characteristic, target: String) {
        self.init(error, operation: operation, target: target)
        let isWrite = operation == .write || operation == .writeDescriptor
        if isWrite, kind == .notAuthorized, BlueZ.claimedServices.contains(characteristic.service.uuid) {
            self = withoutATTCode
        }
    }

    /// The same error as one of bluetoothd instead of the peripheral.
    var withoutATTCode: BluetoothError {
        BluetoothError(kind, operation: operation, target: target, dbusName: dbusName, dbusMessage: dbusMessage)
    }

    private static func kind(of error: DBusError, during operation: Operation) -> Kind {
        guard let row = ErrorTable.row(of: error) else { return .bluez }
        return switch ErrorTable.rows[row].meaning {
        case .kind(let kind), .refused(let kind): kind
        case .gone: gone(operation)
        // An adapter without LE has no LEAdvertisingManager1. Source: BlueZ 5.66, `src/adapter.c`, `adapter_register`.
        case .goneOrUnsupported: operation == .advertise ? .unsupported : gone(operation)
        case .connectFailed: .connectFailed(error.message)
        case .failed: failed(operation, error.message)
        case .pairingFailed: .pairingFailed(String(error.name.dropFirst("org.bluez.Error.".count)))
        }
    }

    /// Without a text that tells more: daemons before 5.62 gave that of errno where connecting failed (Q77), and registering an
    /// advertisement has texts only. Source: BlueZ 5.66, `src/advertising.c`. The same text elsewhere is in no table.
    private static func failed(_ operation: Operation, _ text: String) -> Kind {
        switch operation {
        case .connect: .connectFailed(text)
        case .advertise: .registrationFailed(text)
        default: .bluez
        }
    }

    private static func gone(_ operation: Operation) -> Kind {
        switch operation {
        case .read, .write, .readDescriptor, .writeDescriptor, .notify: .attributeNotFound
        case .connect, .disconnect, .discover, .readRSSI, .pair, .trust, .forget: .peripheralGone
        case .scan, .readState, .advertise: .noAdapter
        }
    }

    /// Whether the controller gave up an attempt to connect, which it does now and then without a reason of its own (Q77);
    /// the second text is that of daemons before 5.62, and the last is for a cancellation that nobody asked for (Q79).
    var isAbortedConnection: Bool {
        guard case .connectFailed(let text) = kind else { return false }
        return [
            "le-connection-abort-by-local", "Software caused connection abort", "br-connection-canceled",
        ].contains(text)
    }

    /// Whether bluetoothd tried classic Bluetooth with a peripheral that speaks LE. It would do so again, until it has heard an
    /// advertisement since it last saw the peripheral there (Q83). Source: BlueZ 5.66, `src/device.c`, `select_conn_bearer`.
    var isOfWrongBearer: Bool {
        guard case .connectFailed(let text) = kind else { return false }
        return [
            "br-connection-page-timeout", "br-connection-sdp-search", ErrorTable.profileUnavailable,
        ].contains(text)
    }
}
