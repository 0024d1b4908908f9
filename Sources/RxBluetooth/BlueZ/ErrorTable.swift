import DBus

/// Maps the error names and texts of bluetoothd and of the bus to kinds of ``BluetoothError``.
///
/// The first row that matches decides the kind. Names and texts are compared only here; programs use
/// ``BluetoothError/kind``.
enum ErrorTable {
    /// A row of the table: the name of an error, its text if it matters, and their meaning.
    struct Row: Sendable {
        let name: String
        let text: Text
        let meaning: Meaning
        /// The ATT code if the row always stands for the same code.
        var attCode: UInt8?
    }

    /// The texts that a row matches.
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

    /// The meaning of a row.
    enum Meaning: Sendable {
        case kind(BluetoothError.Kind)
        /// The object of the operation no longer exists.
        case gone
        /// Like `gone`, but the object may exist without the interface.
        case goneOrUnsupported
        /// Connecting failed; the text is the reason.
        case connectFailed
        /// The operation failed. The text is the reason if the operation has a kind for it.
        case failed
        /// The peripheral refused an operation on an attribute with the row's ATT code.
        ///
        /// For other operations, bluetoothd itself refused.
        case refused(BluetoothError.Kind)
        /// Pairing failed; the name is the reason.
        case pairingFailed

        /// Returns whether a row's ATT code applies to an operation.
        fileprivate func bringsATTCode(_ operation: BluetoothError.Operation) -> Bool {
            if case .refused = self { operation.isOnAttribute } else { true }
        }
    }

    static let rows: [Row] = bus + bluez + failed

    /// Returns the index of an error's row; nil if there is none.
    static func row(of error: DBusError) -> Int? {
        rows.firstIndex { $0.name == error.name && $0.text.matches(error.message) }
    }

    /// Returns the ATT code of an error: the code of its row, or the code in its text (Q96).
    ///
    /// An example of a text with a code is “Operation failed with ATT error: 0x81”.
    static func attCode(of error: DBusError, during operation: BluetoothError.Operation) -> UInt8? {
        if let row = row(of: error).map({ rows[$0] }), let code = row.attCode {
            return row.meaning.bringsATTCode(operation) ? code : nil
        }
        guard error.message.hasPrefix(attError), let mark = error.message.range(ofLast: "0x") else { return nil }
        return UInt8(error.message[mark...].prefix { $0.isHexDigit }, radix: 16)
    }

    /// Returns whether bluetoothd does not have a method, for example because it was started without `-E`.
    static func isUnknownMethod(_ error: DBusError) -> Bool {
        ["UnknownMethod", "NotSupported"].contains { error.name == "org.freedesktop.DBus.Error." + $0 }
    }

    /// The text if BlueZ tried classic Bluetooth, and supports no profile of the peripheral.
    static let profileUnavailable = "br-connection-profile-unavailable"
    /// The text of bluetoothd 5.87 in the same case.
    ///
    /// Source: BlueZ 5.87, `src/error.c`, `btd_error_bredr_errno`, which does not know the negative numbers of callers.
    static let unknownOfBREDR = "br-connection-unknown"
    /// The text if bluetoothd refuses `Connect` or `StartDiscovery` while an earlier call is in progress.
    static let alreadyInProgress = "Operation already in progress"
    private static let attError = "Operation failed with ATT error"

    private static let bus: [Row] = [
        row(bus: "ServiceUnknown", "NameHasNoOwner", is: .kind(.daemonUnavailable)),
        row(
            bus: "Disconnected", "NoServer", "FileNotFound", "BadAddress", "IOError", "NoNetwork",
            is: .kind(.busUnavailable)),
        row(bus: "AccessDenied", "AuthFailed", is: .kind(.unauthorized)),
        row(bus: "NoReply", "Timeout", "TimedOut", is: .kind(.timedOut)),
        row(bus: "LimitsExceeded", "NoMemory", is: .kind(.resourceExhausted)),
        row(bus: "UnknownObject", is: .gone),
        // bluetoothd with an old libdbus sends UnknownMethod with this text if an object is gone (Q82).
        row(bus: "UnknownMethod", text: .has("doesn't exist"), is: .goneOrUnsupported),
        row(bus: "UnknownMethod", "UnknownInterface", "UnknownProperty", is: .kind(.unsupported)),
        row(bus: "InvalidArgs", is: .kind(.invalidArgument)),
        row(bus: "InvalidSignature", is: .kind(.protocolViolation)),
    ].flatMap(\.self)

    private static let bluez: [Row] = [
        row("NotReady", is: .kind(.poweredOff)),
        row("Blocked", is: .kind(.blocked)),
        row("InProgress", "Busy", is: .kind(.busy)),
        row("AlreadyConnected", is: .kind(.alreadyConnected)),
        // An object with the path, or a bond, exists already (Q89, Q92). Callers that need it to exist treat this error
        // as success.
        row("AlreadyExists", is: .kind(.alreadyDone)),
        row("NotConnected", is: .kind(.notConnected)),
        row("NoSuchAdapter", is: .kind(.noAdapter)),
        row("DoesNotExist", is: .gone),
        // bluetoothd sends this for a device without a supported profile; later versions send the name in the next row.
        // `Failed` with this text is ENOPROTOOPT of a profile. Source: BlueZ 5.66, `src/device.c`, `connect_profiles`.
        row("NotAvailable", text: .anyOf([profileUnavailable]), is: .connectFailed),
        row("BREDR.ProfileUnavailable", is: .kind(.connectFailed(profileUnavailable))),
        // We request only operations that a characteristic offers, so the peripheral sends these two errors.
        // Source: BlueZ 5.66, `src/gatt-client.c`, `create_gatt_dbus_error`.
        row("NotSupported", is: .refused(.unsupported), att: 0x06),
        row("NotAuthorized", is: .refused(.refused), att: 0x08),
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
        // BlueZ documents these for reads and writes, but they are errors of GATT servers that bluetoothd maps to ATT
        // codes. Source: BlueZ 5.76, `src/gatt-database.c`, `dbus_error_to_att_ecode`; 5.66 has the first two.
        row("InvalidOffset", is: .kind(.invalidArgument), att: 0x07),
        row("InvalidValueLength", is: .kind(.invalidArgument), att: 0x0D),
        row("ImproperlyConfigured", is: .kind(.attError), att: 0xFD),
        row(
            "AuthenticationCanceled", "AuthenticationFailed", "AuthenticationRejected", "AuthenticationTimeout",
            "ConnectionAttemptFailed", is: .pairingFailed),
    ].flatMap(\.self)

    /// The errors that bluetoothd calls `Failed`; only their texts distinguish them.
    private static let failed: [Row] = [
        row("Failed", text: .anyOf(["Not connected", "Not Connected", "No ATT transport"]), is: .kind(.notConnected)),
        row("Failed", text: .ends("-connection-adapter-not-powered"), is: .kind(.poweredOff)),
        row("Failed", text: .ends("-connection-busy"), is: .kind(.busy)),
        row("Failed", text: .ends("-connection-concurrent-connection-limit"), is: .kind(.noFreeSlot)),
        row("Failed", text: .anyOf(["le-connection-gatt-browsing"]), is: .kind(.discoveryFailed)),
        row("Failed", text: .ends("-key-missing"), is: .kind(.bondLost)),
        row("Failed", text: .begins(attError), is: .kind(.attError)),
        row("Failed", text: .anyOf(["Failed to parse advertisement."]), is: .kind(.invalidArgument)),
        row("Failed", text: .anyOf(["No discovery started", "No notify session started"]), is: .kind(.alreadyDone)),
        // bluetoothd 5.66 sends this for LE only, while another `Connect` is pending (Q119); 5.82 sends `InProgress`.
        // Source: BlueZ 5.66 and 5.82, `src/device.c`, `dev_connect`.
        row("Failed", text: .anyOf([alreadyInProgress]), is: .kind(.busy)),
        row("Failed", text: .begins("le-connection-"), is: .connectFailed),
        row("Failed", text: .begins("br-connection-"), is: .connectFailed),
        row("Failed", is: .failed),
        // `ConnectDevice` did not reach the peripheral. Source: BlueZ 5.66, `src/adapter.c`, `device_connect_cb`.
        [Row(name: "org.bluez.Failed", text: .any, meaning: .failed)],
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
    /// Whether bluetoothd sends the operation to the peripheral's GATT server.
    fileprivate var isOnAttribute: Bool {
        switch self {
        case .read, .write, .readDescriptor, .writeDescriptor, .notify: true
        case .readState, .scan, .listPeripherals, .connect, .disconnect, .discover, .readRSSI, .pair, .trust, .forget,
            .advertise,
            .exclusiveAccess, .publish, .setPower, .setAlias, .openChannel, .publishChannel, .sendData, .receiveData,
            .readLink, .updateLink, .waitUntilReady:
            false
        }
    }
}

extension String {
    /// Returns whether the text contains another text.
    fileprivate func has(_ part: String) -> Bool { indices.contains { self[$0...].hasPrefix(part) } }

    /// Returns the index after the last occurrence of `mark`; nil if there is none.
    fileprivate func range(ofLast mark: String) -> Index? {
        var index = endIndex
        while index > startIndex {
            if self[..<index].hasSuffix(mark) { return index }
            index = self.index(before: index)
        }
        return nil
    }
}

/// Makes errors of the library from errors of the bus and of bluetoothd, by ``ErrorTable``.
extension BluetoothError {
    /// Makes an error that belongs to no operation of the user.
    init(_ error: DBusError) {
        let error = BluetoothError(error, operation: .readState, target: nil)
        self.init(error.kind, dbusName: error.dbusName, dbusMessage: error.dbusMessage)
    }

    init(_ error: DBusError, operation: Operation, target: String?) {
        self.init(
            Self.kind(of: error, during: operation), operation: operation, target: target, dbusName: error.name,
            dbusMessage: error.message, attCode: ErrorTable.attCode(of: error, during: operation))
    }

    /// Makes an error of an operation on a characteristic or on one of its descriptors.
    ///
    /// From 5.80 on, bluetoothd itself refuses writes to the services that it handles, so the error has no ATT code.
    /// For other services, the same error means the peripheral's ATT error 0x08 (Q109).
    init(_ error: DBusError, operation: Operation, on characteristic: Characteristic, target: String) {
        self.init(error, operation: operation, target: target)
        let isWrite = operation == .write || operation == .writeDescriptor
        if isWrite, kind == .refused, BlueZ.claimedServices.contains(characteristic.service.uuid) {
            self = withoutATTCode
        }
    }

    /// This error without its ATT code, for errors that bluetoothd and not the peripheral has caused.
    var withoutATTCode: BluetoothError {
        BluetoothError(kind, operation: operation, target: target, dbusName: dbusName, dbusMessage: dbusMessage)
    }

    private static func kind(of error: DBusError, during operation: Operation) -> Kind {
        guard let row = ErrorTable.row(of: error) else { return .bluez }
        return switch ErrorTable.rows[row].meaning {
        case .kind(let kind), .refused(let kind): kind
        case .gone: gone(operation)
        // An adapter without LE has neither LEAdvertisingManager1 nor GattManager1.
        // Source: BlueZ 5.66, `src/adapter.c`, `adapter_register`.
        case .goneOrUnsupported: operation == .advertise || operation == .publish ? .unsupported : gone(operation)
        case .connectFailed: .connectFailed(error.message)
        case .failed: failed(operation, error.message)
        case .pairingFailed: .pairingFailed(String(error.name.dropFirst("org.bluez.Error.".count)))
        }
    }

    /// Returns the kind of a `Failed` error with a text that no other row matches.
    ///
    /// Before 5.62, bluetoothd sent the text of errno if connecting failed (Q77). Errors of registering an
    /// advertisement or services differ only in their texts. Other operations have no such errors.
    /// Source: BlueZ 5.66, `src/advertising.c`.
    private static func failed(_ operation: Operation, _ text: String) -> Kind {
        switch operation {
        case .connect: .connectFailed(text)
        case .advertise, .publish: .registrationFailed(text)
        default: .bluez
        }
    }

    private static func gone(_ operation: Operation) -> Kind {
        switch operation {
        case .read, .write, .readDescriptor, .writeDescriptor, .notify: .attributeNotFound
        case .connect, .disconnect, .discover, .readRSSI, .pair, .trust, .forget: .peripheralGone
        case .exclusiveAccess, .openChannel, .sendData, .receiveData, .readLink, .updateLink: .peripheralGone
        case .scan, .listPeripherals, .readState, .advertise, .publish, .setPower, .setAlias, .publishChannel,
            .waitUntilReady:
            .noAdapter
        }
    }

    /// Whether the controller gave up an attempt to connect, as it does now and then (Q77).
    ///
    /// bluetoothd before 5.62 sends the second text. The third text reports a cancellation that we did not request
    /// (Q79).
    var isAbortedConnection: Bool {
        guard case .connectFailed(let text) = kind else { return false }
        return [
            "le-connection-abort-by-local", "Software caused connection abort", "br-connection-canceled",
        ].contains(text)
    }

    /// Whether bluetoothd tried classic Bluetooth with an LE peripheral (Q83).
    ///
    /// bluetoothd repeats this until it receives an LE advertisement after it last saw the peripheral over classic
    /// Bluetooth.
    /// Source: BlueZ 5.66, `src/device.c`, `select_conn_bearer`.
    var isOfWrongBearer: Bool {
        guard case .connectFailed(let text) = kind else { return false }
        return [
            "br-connection-page-timeout", "br-connection-sdp-search", ErrorTable.profileUnavailable,
            ErrorTable.unknownOfBREDR,
        ].contains(text)
    }
}
