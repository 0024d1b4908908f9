import DBus
import TestTraits
import Testing

@testable import RxBluetooth

struct BluetoothErrorTests {
    struct Row: Sendable, CustomStringConvertible {
        let name: String
        let text: String
        let operation: BluetoothError.Operation
        let kind: BluetoothError.Kind
        var attCode: UInt8?
        var isTransient = false

        var description: String { "\(name) “\(text)”" }
    }

    private static func bluez(
        _ suffix: String, _ text: String, _ kind: BluetoothError.Kind,
        during operation: BluetoothError.Operation = .read,
        att: UInt8? = nil, isTransient: Bool = false
    ) -> Row {
        Row(
            name: "org.bluez.Error.\(suffix)", text: text, operation: operation, kind: kind, attCode: att,
            isTransient: isTransient)
    }

    private static func bus(
        _ suffix: String, _ kind: BluetoothError.Kind, _ text: String = "",
        during operation: BluetoothError.Operation = .read, isTransient: Bool = false
    ) -> Row {
        Row(
            name: "org.freedesktop.DBus.Error.\(suffix)", text: text, operation: operation, kind: kind,
            isTransient: isTransient)
    }

    static let table: [Row] = [
        bus("ServiceUnknown", .daemonUnavailable, isTransient: true),
        bus("NameHasNoOwner", .daemonUnavailable, isTransient: true),
        bus("Disconnected", .busUnavailable),
        bus("NoServer", .busUnavailable),
        bus("FileNotFound", .busUnavailable),
        bus("AccessDenied", .unauthorized),
        bus("AuthFailed", .unauthorized),
        bus("NoReply", .timedOut, isTransient: true),
        bus("Timeout", .timedOut, isTransient: true),
        bus("LimitsExceeded", .resourceExhausted),
        bus("NoMemory", .resourceExhausted),
        bus("UnknownObject", .peripheralGone, during: .connect),
        bus("UnknownObject", .attributeNotFound, during: .write),
        bus("UnknownObject", .noAdapter, during: .scan),
        bus("UnknownMethod", .unsupported),
        bus("UnknownMethod", .peripheralGone, "Method \"Connect\" with signature \"\" doesn't exist", during: .connect),
        bus(
            "UnknownMethod", .unsupported,
            "Method \"RegisterAdvertisement\" with signature \"oa{sv}\" on interface \"org.bluez.LEAdvertisingManager1\" doesn't exist",
            during: .advertise),
        bus("UnknownInterface", .unsupported),
        bus("UnknownProperty", .unsupported),
        bus("InvalidArgs", .invalidArgument),
        bus("SomethingNew", .bluez),
        bus("BadAddress", .busUnavailable),
        bus("IOError", .busUnavailable),
        bus("NoNetwork", .busUnavailable),
        bus("TimedOut", .timedOut, isTransient: true),
        bus("InvalidSignature", .protocolViolation),
        bluez("Unsupported", "", .unsupported),
        bluez("AgentNotAvailable", "Agent Not Available", .unsupported),
        bluez("NotPermitted", "Operation not permitted", .notPermitted),
        bluez("InvalidLength", "", .invalidArgument),
        bluez("InvalidOffset", "", .invalidArgument, att: 0x07),
        bluez("InvalidValueLength", "", .invalidArgument, att: 0x0D),
        bluez("ImproperlyConfigured", "", .attError, att: 0xFD),
        bluez("AuthenticationCanceled", "", .pairingFailed("AuthenticationCanceled")),
        bluez("AuthenticationFailed", "", .pairingFailed("AuthenticationFailed")),
        bluez("AuthenticationRejected", "", .pairingFailed("AuthenticationRejected")),
        bluez("ConnectionAttemptFailed", "", .pairingFailed("ConnectionAttemptFailed"), isTransient: true),
        bluez(
            "Failed", "br-connection-page-timeout", .connectFailed("br-connection-page-timeout"), during: .connect),
        bluez(
            "Failed", "br-connection-timeout", .connectFailed("br-connection-timeout"), during: .connect,
            isTransient: true),
        bluez(
            "NotAvailable", "br-connection-profile-unavailable", .connectFailed("br-connection-profile-unavailable"),
            during: .connect),
        bluez(
            "BREDR.ProfileUnavailable", "No more profiles to connect to",
            .connectFailed("br-connection-profile-unavailable"), during: .connect),
        bluez("AlreadyExists", "Already Exists", .alreadyDone, during: .pair),
        bluez("Failed", "Operation already in progress", .busy, during: .connect, isTransient: true),
        // bluetoothd 5.82 refuses a second `Connect` with this, 5.66 with the text above.
        bluez("InProgress", "In Progress", .busy, during: .connect, isTransient: true),
        bluez("InProgress", "In Progress", .busy, during: .pair, isTransient: true),
        bluez("Failed", "Connect failed", .connectFailed("Connect failed"), during: .connect, isTransient: true),
        // bluetoothd 5.87 sends this where 5.66 sends “br-connection-profile-unavailable”.
        bluez("Failed", "br-connection-unknown", .connectFailed("br-connection-unknown"), during: .connect),
        bluez("Failed", "br-connection-key-missing", .bondLost, during: .connect),
        bluez("Failed", "No discovery started", .alreadyDone, during: .scan),
        bluez("InvalidArguments", "Invalid arguments in method call", .invalidArgument),
        bluez(
            "Failed", "Failed to register advertisement", .registrationFailed("Failed to register advertisement"),
            during: .advertise),
        bluez("Failed", "br-connection-adapter-not-powered", .poweredOff, during: .connect),
        bluez("NotReady", "Resource Not Ready", .poweredOff, during: .scan),
        bluez("Failed", "le-connection-adapter-not-powered", .poweredOff, during: .connect),
        bluez("Blocked", "Blocked through rfkill", .blocked),
        bluez("InProgress", "In Progress", .busy, isTransient: true),
        bluez("Busy", "", .busy, isTransient: true),
        bluez("Failed", "le-connection-busy", .busy, during: .connect, isTransient: true),
        bluez("AlreadyConnected", "Already Connected", .alreadyConnected, during: .connect),
        bluez("NotConnected", "Not Connected", .notConnected),
        bluez("Failed", "Not connected", .notConnected),
        bluez("Failed", "No ATT transport", .notConnected),
        bluez("NotAvailable", "Not Available", .unsupported),
        bluez("NotSupported", "Operation is not supported", .unsupported, att: 0x06),
        bluez("NotSupported", "Operation is not supported", .unsupported, during: .advertise),
        bluez("NoSuchAdapter", "No such adapter", .noAdapter),
        bluez("DoesNotExist", "Does Not Exist", .peripheralGone, during: .connect),
        bluez("NotPermitted", "Read not permitted", .notPermitted, att: 0x02),
        bluez("NotPermitted", "Write not permitted", .notPermitted, during: .write, att: 0x03),
        bluez("NotPermitted", "Not paired", .needsPairing),
        bluez("NotPermitted", "Notify acquired", .exclusiveUse, during: .notify),
        bluez("NotPermitted", "Write acquired", .exclusiveUse, during: .write),
        bluez("NotPermitted", "Maximum advertisements reached", .noFreeSlot, during: .advertise, isTransient: true),
        bluez("Failed", "Failed to parse advertisement.", .invalidArgument, during: .advertise),
        bluez("NotAuthorized", "Operation Not Authorized", .refused, att: 0x08),
        bluez("NotAuthorized", "Operation Not Authorized", .refused, during: .connect),
        bluez("InvalidArguments", "Invalid offset", .invalidArgument, att: 0x07),
        bluez("InvalidArguments", "Invalid Length", .invalidArgument, att: 0x0D),
        bluez("Failed", "Operation failed with ATT error: 0x81", .attError, att: 0x81),
        bluez("Failed", "Operation failed with ATT error: 0x0e", .attError, att: 0x0E, isTransient: true),
        bluez("Failed", "Operation failed with ATT error: 0x11", .attError, att: 0x11, isTransient: true),
        bluez("Failed", "Operation failed with ATT error: nonsense", .attError),
        bluez(
            "Failed", "le-connection-abort-by-local", .connectFailed("le-connection-abort-by-local"), during: .connect,
            isTransient: true),
        bluez(
            "Failed", "Software caused connection abort", .connectFailed("Software caused connection abort"),
            during: .connect, isTransient: true),
        bluez("Failed", "le-connection-concurrent-connection-limit", .noFreeSlot, during: .connect, isTransient: true),
        Row(
            name: "org.bluez.Failed", text: "", operation: .connect, kind: .connectFailed(""), attCode: nil,
            isTransient: true),
        bluez("Failed", "le-connection-key-missing", .bondLost, during: .connect),
        bluez("Failed", "le-connection-gatt-browsing", .discoveryFailed, during: .connect, isTransient: true),
        bluez("AuthenticationTimeout", "", .pairingFailed("AuthenticationTimeout"), isTransient: true),
        bluez(
            "AuthenticationRejected", "Authentication Rejected", .pairingFailed("AuthenticationRejected"), during: .pair
        ),
        bluez(
            "ConnectionAttemptFailed", "Page Timeout", .pairingFailed("ConnectionAttemptFailed"), during: .pair,
            isTransient: true),
        bluez("AgentNotAvailable", "Agent Not Available", .unsupported, during: .pair),
        bluez("DoesNotExist", "Does Not Exist", .peripheralGone, during: .trust),
        bluez("Failed", "Something that nobody has seen", .bluez),
        bluez("BrandNew", "", .bluez),
    ]

    @Test(.proves(.Q22, .Q96), arguments: table)
    func `Each row of the error table gives its kind and keeps name and text`(row: Row) {
        let error = BluetoothError(
            DBusError(name: row.name, message: row.text), operation: row.operation, target: "the target")
        #expect(error.kind == row.kind)
        #expect(error.attCode == row.attCode)
        #expect(error.isTransient == row.isTransient)
        #expect(error.dbusName == row.name)
        #expect(error.dbusMessage == row.text)
        #expect(error.description.contains("the target"))
    }

    @Test func `Every row of the error table has a test`() {
        let proven = Set(
            Self.table.compactMap { ErrorTable.row(of: DBusError(name: $0.name, message: $0.text)) })
        for row in ErrorTable.rows.indices where !proven.contains(row) {
            Issue.record("Nothing proves the row \(ErrorTable.rows[row]).")
        }
    }

    @Test(arguments: table)
    func `Each error text ends with advice of one sentence`(row: Row) {
        let error = BluetoothError(
            DBusError(name: row.name, message: row.text), operation: row.operation, target: "the target")
        let advice = error.advice ?? ""
        #expect(advice.hasSuffix("."))
        #expect(!advice.dropLast().contains(". "))
        #expect(error.description.hasSuffix(advice))
    }

    @Test(.proves(.S85)) func `Every error equals itself and prints as one line of sentences`() {
        for row in Self.table {
            let error = BluetoothError(
                DBusError(name: row.name, message: row.text), operation: row.operation, target: "the target")
            #expect(error == error)
            #expect(!error.description.contains("\n"))
            #expect(error.description.hasSuffix("."))
            // An error without a target also equals itself, and differs from the error with a target.
            let bare = BluetoothError(DBusError(name: row.name, message: row.text))
            #expect(bare == bare)
            #expect(bare != error)
        }
        let closed = BluetoothError(.closed)
        #expect(closed == closed)
        #expect(closed != BluetoothError(.busUnavailable))
    }

    @Test func `The detail is part of the text, and no text of D-Bus`() {
        let error = BluetoothError(.exclusiveUse, operation: .notify, target: "2A37", detail: "Another program has it")
        #expect(error.dbusName == nil && error.dbusMessage == nil)
        #expect(error.summary.hasSuffix(" (Another program has it)."))
        #expect(error.with(nil, nil).detail == error.detail && error.inferred.detail == error.detail)
        let both = BluetoothError(.bluez, detail: "why", dbusName: "a.b", dbusMessage: "c")
        #expect(both.summary.hasSuffix("(why)."))
        let isExplained = BluetoothError(DBusError(name: "org.bluez.Error.Failed", message: "x")).detail != nil
        #expect(!isExplained)
    }

    @Test func `A state, its error and the cause of a diagnosis have one word`() {
        for state in BluetoothState.allCases {
            guard let error = state.error else { continue }
            #expect(error.code == state.rawValue)
            #expect(Diagnosis.Cause(rawValue: state.rawValue)?.isObstacle == true)
        }
    }

    @Test(.proves(.Q8)) func `A write that times out has an unknown outcome`() {
        let error = BluetoothError(.noReply("late"), operation: .write, target: nil)
        #expect(error.outcomeUnknown)
        #expect(!BluetoothError(.notPermitted, operation: .write).outcomeUnknown)
    }

    @Test(.proves(.Q96)) func `The error text names the ATT code`() {
        let error = BluetoothError(
            DBusError(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x05"),
            operation: .read, target: "2A37")
        #expect(error.description.contains("0x05 “insufficient authentication”"))
    }
}
