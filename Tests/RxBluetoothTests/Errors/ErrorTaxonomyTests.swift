import DBus
import Glibc
import TestTraits
import Testing

@testable import RxBluetooth

/// A specification of the errors of BlueZ and D-Bus.
///
/// The tests compare each entry with the library's error table.
///
/// `BluetoothErrorTests` checks the opposite direction: it tests each row of that table.
struct ErrorTaxonomyTests {
    /// The rules of the specification for when to retry an operation.
    enum Again: String {
        case yes, limited, once, wait, reconnect, rescan, no
        case yesWithBackoff = "yes, backoff"
        case yesWaitOwner = "yes (wait owner)"
        case afterRead = "re-read"
        case afterDrain = "after drain"
        case afterPair = "after pair"
        case afterSlot = "after slot"
        case done = "–"

        /// Whether a retry can succeed without another action of the program first.
        ///
        /// This includes `afterSlot`, because a slot becomes free by itself. It also includes `afterRead`: the property
        /// `outcomeUnknown` of the error already asks for a read.
        var isTransient: Bool {
            switch self {
            case .yes, .yesWithBackoff, .yesWaitOwner, .limited, .once, .afterRead, .afterSlot: true
            case .wait, .reconnect, .rescan, .no, .afterDrain, .afterPair, .done: false
            }
        }
    }

    struct Entry: Sendable, CustomStringConvertible {
        let name: String
        let text: String
        let operation: BluetoothError.Operation
        let kind: BluetoothError.Kind
        let again: Again
        /// A text that the advice of the error contains.
        let advice: String
        let attCode: UInt8?

        var description: String { "\(name) “\(text)” while \(operation)" }

        var error: BluetoothError {
            BluetoothError(DBusError(name: name, message: text), operation: operation, target: nil)
        }
    }

    private static func bus(
        _ names: String..., text: String = "", during operation: BluetoothError.Operation = .read,
        is kind: BluetoothError.Kind, _ again: Again, _ advice: String
    ) -> [Entry] {
        names.map {
            Entry(
                name: "org.freedesktop.DBus.Error." + $0, text: text, operation: operation, kind: kind, again: again,
                advice: advice, attCode: nil)
        }
    }

    private static func bluez(
        _ names: String..., text: String = "", during operation: BluetoothError.Operation = .read,
        is kind: BluetoothError.Kind, _ again: Again, _ advice: String, att attCode: UInt8? = nil
    ) -> [Entry] {
        names.map {
            Entry(
                name: "org.bluez.Error." + $0, text: text, operation: operation, kind: kind, again: again,
                advice: advice, attCode: attCode)
        }
    }

    private static func connectFailed(_ texts: String..., again: Again, _ advice: String) -> [Entry] {
        texts.flatMap { bluez("Failed", text: $0, during: .connect, is: .connectFailed($0), again, advice) }
    }

    private static func pairingFailed(_ name: String, _ again: Again, _ advice: String) -> [Entry] {
        bluez(name, during: .pair, is: .pairingFailed(name), again, advice)
    }

    private static func att(_ code: String, _ attCode: UInt8, _ again: Again, _ advice: String) -> [Entry] {
        bluez("Failed", text: "Operation failed with ATT error: 0x\(code)", is: .attError, again, advice, att: attCode)
    }

    /// Without a known mechanism, the advice depends on the user: root needs no group.
    private static let accessAdvice = AccessControl.likely(isRoot: geteuid() == 0).advice

    /// All entries of the specification.
    static let section: [Entry] = parts.flatMap(\.self)

    private static let parts: [[Entry]] = [
        bus("ServiceUnknown", "NameHasNoOwner", is: .daemonUnavailable, .yesWaitOwner, "systemctl start bluetooth"),
        bus("Disconnected", "NoServer", "FileNotFound", is: .busUnavailable, .wait, "systemctl status dbus"),
        bus("AccessDenied", "AuthFailed", is: .unauthorized, .no, accessAdvice),
        bus("NoReply", "Timeout", during: .write, is: .timedOut, .afterRead, "whether it took effect"),
        bus("LimitsExceeded", "NoMemory", is: .resourceExhausted, .afterDrain, "fewer requests"),
        bus("UnknownObject", during: .scan, is: .noAdapter, .rescan, "Plug in"),
        bus("UnknownObject", during: .connect, is: .peripheralGone, .rescan, "Scan for it again"),
        bus("UnknownObject", is: .attributeNotFound, .rescan, "Discover"),
        bus(
            "UnknownMethod", text: "Method \"Connect\" doesn't exist", during: .connect, is: .peripheralGone, .rescan,
            "Scan for it again"),
        bus("UnknownInterface", "UnknownProperty", "UnknownMethod", is: .unsupported, .no, "newer bluetoothd"),
        bluez("Unsupported", is: .unsupported, .no, "started with -E"),
        bluez("NotSupported", during: .advertise, is: .unsupported, .no, "started with -E"),
        // For an attribute, NotSupported is a reply of the peripheral (`create_gatt_dbus_error`).
        bluez("NotSupported", is: .unsupported, .no, "documentation of the peripheral", att: 0x06),
        bluez("NotReady", during: .scan, is: .poweredOff, .wait, "power on"),
        bluez(
            "NotReady", text: "br-connection-adapter-not-powered", during: .connect, is: .poweredOff, .wait, "power on"),
        bluez(
            "Failed", text: "br-connection-adapter-not-powered", during: .connect, is: .poweredOff, .wait, "power on"),
        bluez(
            "Failed", text: "le-connection-adapter-not-powered", during: .connect, is: .poweredOff, .wait, "power on"),
        bluez("Blocked", is: .blocked, .wait, "rfkill unblock"),
        bluez("InProgress", "Busy", is: .busy, .yesWithBackoff, "Wait a moment"),
        bluez("InProgress", text: "br-connection-busy", during: .connect, is: .busy, .yesWithBackoff, "Wait a moment"),
        bluez("Failed", text: "br-connection-busy", during: .connect, is: .busy, .yesWithBackoff, "Wait a moment"),
        bluez("Failed", text: "le-connection-busy", during: .connect, is: .busy, .yesWithBackoff, "Wait a moment"),
        bluez("AlreadyConnected", during: .connect, is: .alreadyConnected, .done, "Use the existing connection"),
        bluez("AlreadyExists", during: .pair, is: .alreadyDone, .done, "nothing left to do"),
        bluez("DoesNotExist", during: .forget, is: .peripheralGone, .done, "Scan for it again"),
        bluez("NotConnected", is: .notConnected, .reconnect, "Connect first"),
        bluez("Failed", text: "Not connected", is: .notConnected, .reconnect, "Connect first"),
        bluez("Failed", text: "No ATT transport", is: .notConnected, .reconnect, "Connect first"),
        bluez("Failed", text: "Not Connected", is: .notConnected, .reconnect, "Connect first"),
        bluez("NotAvailable", "AgentNotAvailable", is: .unsupported, .no, "supports it"),
        bluez("NoSuchAdapter", is: .noAdapter, .no, "Plug in"),
        bluez("NotPermitted", text: "Read not permitted", is: .notPermitted, .no, "when it permits", att: 0x02),
        bluez(
            "NotPermitted", text: "Write not permitted", during: .write, is: .notPermitted, .no, "when it permits",
            att: 0x03),
        bluez("NotPermitted", text: "Not paired", is: .needsPairing, .afterPair, "Pair it first"),
        bluez("NotAuthorized", is: .refused, .afterPair, "how it authorizes", att: 0x08),
        bluez("NotAuthorized", during: .connect, is: .refused, .afterPair, "keeps some services"),
        bluez("NotPermitted", text: "Write acquired", during: .write, is: .exclusiveUse, .no, "End the other use"),
        bluez("NotPermitted", text: "Notify acquired", during: .notify, is: .exclusiveUse, .no, "End the other use"),
        bluez("InvalidArguments", is: .invalidArgument, .no, "Change the argument"),
        bluez("InvalidArguments", text: "Invalid offset", is: .invalidArgument, .no, "within the value", att: 0x07),
        bluez("InvalidArguments", text: "Invalid Length", is: .invalidArgument, .no, "of the length", att: 0x0D),
        att("01", 0x01, .no, "Connect again"),
        att("04", 0x04, .no, "maker of the peripheral"),
        att("05", 0x05, .no, "Pair with"),
        att("09", 0x09, .no, "shorter value"),
        att("0a", 0x0A, .no, "Connect again"),
        att("0b", 0x0B, .no, "by notifications"),
        att("0c", 0x0C, .no, "pair with it"),
        att("0e", 0x0E, .yes, "Try again"),
        att("0f", 0x0F, .no, "Pair with"),
        att("10", 0x10, .no, "maker of the peripheral"),
        att("11", 0x11, .yes, "Wait a moment"),
        att("12", 0x12, .no, "Connect again"),
        att("13", 0x13, .no, "the documentation of the peripheral allows"),
        att("80", 0x80, .no, "Look up the code"),
        att("9f", 0x9F, .no, "Look up the code"),
        att("fc", 0xFC, .no, "when it accepts"),
        att("fd", 0xFD, .no, "Turn on the notifications"),
        att("fe", 0xFE, .no, "that request has ended"),
        att("ff", 0xFF, .no, "of the range"),
        connectFailed(
            "le-connection-abort-by-local", "le-connection-link-layer-protocol-error", "le-connection-timeout",
            "le-connection-unknown", "br-connection-canceled", "Software caused connection abort", again: .yes,
            "nearer"),
        connectFailed("le-connection-refused", "le-connection-abort-by-remote", again: .limited, "nearer"),
        bluez(
            "Failed", text: "le-connection-concurrent-connection-limit", during: .connect, is: .noFreeSlot, .afterSlot,
            "another device"),
        bluez("Failed", text: "le-connection-key-missing", during: .connect, is: .bondLost, .no, "pair it again"),
        bluez("Failed", text: "br-connection-key-missing", during: .connect, is: .bondLost, .no, "pair it again"),
        connectFailed(
            "br-connection-page-timeout", "br-connection-sdp-search", "br-connection-profile-unavailable", again: .no,
            "scan for LE only"),
        // bluetoothd 5.66 also sends this text with the name NotAvailable (`connect_profiles`). Later versions have a
        // name of its own for this error: see the next row.
        bluez(
            "NotAvailable", text: "br-connection-profile-unavailable", during: .connect,
            is: .connectFailed("br-connection-profile-unavailable"), .no, "scan for LE only"),
        bluez(
            "BREDR.ProfileUnavailable", text: "No more profiles to connect to", during: .connect,
            is: .connectFailed("br-connection-profile-unavailable"), .no, "scan for LE only"),
        bluez(
            "Failed", text: "le-connection-gatt-browsing", during: .connect, is: .discoveryFailed, .once,
            "Connect again"),
        pairingFailed("AuthenticationCanceled", .no, "near and switched on"),
        pairingFailed("AuthenticationFailed", .no, "passkey"),
        pairingFailed("AuthenticationRejected", .no, "accepts new bonds"),
        pairingFailed("AuthenticationTimeout", .yes, "pairing mode"),
        pairingFailed("ConnectionAttemptFailed", .yes, "pairing mode"),
        bluez("Failed", text: "No discovery started", during: .scan, is: .alreadyDone, .done, "nothing left to do"),
        bluez(
            "Failed", text: "No notify session started", during: .notify, is: .alreadyDone, .done, "nothing left to do"),
        // The kinds name the cause if it is certain: bluetoothd 5.66 sends NotPermitted only if no slot is free
        // (`src/advertising.c`, `register_advertisement`).
        bluez("InvalidLength", during: .advertise, is: .invalidArgument, .no, "Change the argument"),
        bluez(
            "NotPermitted", text: "Maximum advertisements reached", during: .advertise, is: .noFreeSlot, .afterSlot,
            "another advertisement"),
        bluez(
            "Failed", text: "Failed to register advertisement", during: .advertise,
            is: .registrationFailed("Failed to register advertisement"), .no, "journalctl"),
    ]

    @Test(.proves(.Q22, .Q83, .Q96), arguments: section)
    func `Each specified error has a row with its kind, advice and retry rule`(entry: Entry) {
        #expect(ErrorTable.row(of: DBusError(name: entry.name, message: entry.text)) != nil)
        let error = entry.error
        #expect(error.kind == entry.kind)
        #expect(error.isTransient == entry.again.isTransient, "The table says: \(entry.again.rawValue).")
        #expect(error.attCode == entry.attCode)
        #expect(error.outcomeUnknown == (entry.again == .afterRead))
        #expect(error.advice?.contains(entry.advice) == true, "The advice is: \(error.advice ?? "none").")
        #expect(error.dbusName == entry.name)
        #expect(error.dbusMessage == entry.text)
    }

    @Test func `Every specified ATT code has a name`() {
        for entry in Self.section where entry.kind == .attError {
            #expect(!entry.error.description.contains("of unknown number"))
            #expect(entry.error.description.contains("“"))
        }
        let configured = BluetoothError(
            DBusError(name: "org.bluez.Error.ImproperlyConfigured", message: ""), operation: .write, target: nil)
        #expect(configured.description.contains("0xFD “client characteristic configuration improperly configured”"))
    }

    @Test(.proves(.Q130)) func `A missing profile of classic Bluetooth gives the same advice in each version`() {
        let texts = [
            ("Failed", "br-connection-unknown"), ("NotAvailable", "br-connection-profile-unavailable"),
            ("BREDR.ProfileUnavailable", "No more profiles to connect to"),
        ]
        for (name, text) in texts {
            let error = BluetoothError(
                DBusError(name: "org.bluez.Error.\(name)", message: text), operation: .connect, target: nil)
            #expect(error.advice?.contains("classic Bluetooth") == true, "\(name)")
            #expect(!error.isTransient)
        }
    }

    @Test(.proves(.Q83)) func `An attempt over classic Bluetooth does not end a reconnection`() {
        for entry in Self.section where entry.advice == "scan for LE only" {
            #expect(!Reconnection.isFinal(entry.error))
        }
    }

    @Test func `Time-out advice mentions effects only for operations that change something`() {
        for operation in [BluetoothError.Operation.read, .readDescriptor, .connect, .discover, .notify, .scan] {
            let advice = BluetoothError(.timedOut, operation: operation).advice
            #expect(advice?.contains("took effect") == false)
        }
        for operation in [BluetoothError.Operation.write, .writeDescriptor, .pair, .forget, .trust, .advertise] {
            #expect(BluetoothError(.timedOut, operation: operation).advice?.contains("took effect") == true)
        }
    }
}
