public import FoundationEssentials

extension BluetoothError: CustomStringConvertible {
    /// One or two sentences for people: what failed, why, and where there is something, what to do.
    public var description: String { advice.map { "\(summary) \($0)" } ?? summary }

    /// The first of these sentences: what failed, and why. For where the advice is out of place, because the program follows it
    /// already.
    public var summary: String {
        let text = subject.map { "\($0): \(reason)" } ?? reason
        return text + (detail.map { " (\($0))" } ?? "") + "."
    }

    /// What to do about it, in one sentence; nil only where the program itself asked for it.
    public var advice: String? {
        switch kind {
        case .busUnavailable:
            "Check that the system bus runs (systemctl status dbus), or install it: sudo apt install dbus."
        case .daemonUnavailable: "Start it: sudo systemctl start bluetooth."
        case .permissionDenied: "Add yourself to the “bluetooth” group and log in again: sudo adduser $USER bluetooth."
        case .noAdapter: "Plug in a Bluetooth adapter, or see what there is: bluetoothctl list."
        case .adapterOff: "Switch it on: bluetoothctl power on."
        case .adapterBlocked: "Unblock it: rfkill unblock bluetooth."
        case .noFreeSlot where operation == .advertise: "End another advertisement first."
        case .noFreeSlot: "Disconnect another device first."
        case .bondLost: "Forget the device, then pair it again."
        case .peripheralGone: "Scan for it again."
        case .needsPairing where isBondTooWeak: "Forget the device, then pair it with a passkey."
        case .needsPairing: "Pair it first."
        case .pairingFailed("AuthenticationTimeout"), .pairingFailed("ConnectionAttemptFailed"):
            "Bring the device into pairing mode, and try again."
        case .pairingFailed("AuthenticationCanceled"): "See that the device stays near and on, and try again."
        case .pairingFailed("AuthenticationRejected"): "See that the device accepts new bonds, and try again."
        case .pairingFailed: "Check the passkey, and whether the device wants one, and try again."
        case .resourceExhausted: "Make fewer requests at once."
        default: adviceForPrograms
        }
    }

    private var subject: String? {
        let verb: String? =
            switch operation {
            case .readState: "Reading the state of Bluetooth"
            case .scan: "Scanning"
            case .advertise: "Advertising"
            case .connect: "Connecting"
            case .disconnect: "Disconnecting"
            case .discover: "Discovering services"
            case .read: "Reading"
            case .write: "Writing"
            case .readDescriptor: "Reading a descriptor"
            case .writeDescriptor: "Writing a descriptor"
            case .readRSSI: "Reading the signal strength of"
            case .notify: "Notifications"
            case .pair: "Pairing"
            case .trust: "Trusting"
            case .forget: "Forgetting"
            case nil: nil
            }
        switch (verb, target) {
        case (let verb?, let target?): return operation == .notify ? "\(verb) from \(target)" : "\(verb) \(target)"
        case (let verb?, nil): return verb
        case (nil, let target): return target
        }
    }

    private var reason: String {
        switch kind {
        case .busUnavailable: "the system bus is not there"
        case .daemonUnavailable: "bluetoothd is not running"
        case .permissionDenied: "this process is not allowed to use bluetoothd"
        case .noAdapter: "there is no fitting Bluetooth adapter"
        case .adapterOff: "the Bluetooth adapter is off"
        case .adapterBlocked: "the Bluetooth adapter is blocked by rfkill"
        case .timedOut: "no answer came in time"
        case .busy: "bluetoothd is busy with another request"
        case .alreadyConnected: "this program is connected already"
        case .alreadyDone: "it is done already"
        case .notConnected: "the peripheral is not connected"
        case .disconnected(.requested): "the link was closed by this program"
        case .disconnected(.adapter): "the link was lost, because the adapter was switched off or removed"
        case .disconnected(.removed): "the link was lost, because the device was removed"
        case .disconnected(.daemon): "the link was lost, because bluetoothd stopped"
        case .disconnected(.bus): "the link was lost, because the system bus went away"
        case .disconnected(.timeout): "the link was lost, because the peripheral was not heard any more"
        case .disconnected(.remote): "the link was closed by the peripheral"
        case .disconnected(.local): "the link was closed by this computer"
        case .disconnected(.authentication): "the link was lost, because pairing failed or the bond does not hold"
        case .disconnected(.suspend): "the link was closed, because this computer went to sleep"
        case .disconnected(.unknown): "the link was lost"
        case .connectFailed: "the connection could not be made"
        case .noFreeSlot where operation == .advertise: "the adapter has no room for another advertisement"
        case .noFreeSlot: "the adapter has no room for another connection"
        case .bondLost: "the peripheral has forgotten the bond"
        case .discoveryFailed: "the services could not be read"
        case .peripheralGone: "bluetoothd no longer knows the device"
        case .attributeNotFound: "there is no such attribute"
        case .notPermitted: "the attribute does not offer this"
        case .needsPairing where isBondTooWeak: "the attribute requires a stronger bond than there is"
        case .needsPairing: "the peripheral asks for pairing"
        case .connectionStalled: "bluetoothd carries out nothing more over this connection"
        case .notAuthorized where attCode != nil: "the peripheral does not authorize it"
        case .notAuthorized: "it is not authorized"
        case .exclusiveUse: "another program has the characteristic for itself"
        case .invalidArgument: "an argument is not acceptable"
        case .attError: "the peripheral refused with ATT error \(attText)"
        case .unsupported where attCode != nil: "the peripheral does not support the request"
        case .unsupported: "it is not supported"
        case .overflow: "values came faster than they were taken"
        case .resourceExhausted: "a limit of the bus was reached"
        case .pairingFailed: "pairing failed"
        case .registrationFailed: "bluetoothd did not take it"
        case .protocolViolation: "the answer of bluetoothd makes no sense"
        case .closed: "the manager was closed"
        case .bluez: "bluetoothd reports an error"
        }
    }

    private var attText: String {
        guard let attCode else { return "of unknown number" }
        let name = ATTError.name(of: attCode).map { " “\($0)”" } ?? ""
        return "0x" + Hex.text(attCode) + name
    }

    private var detail: String? {
        switch kind {
        case .connectFailed(let reason), .pairingFailed(let reason), .registrationFailed(let reason): reason
        case .bluez: [dbusName, dbusMessage].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
        case .unsupported where attCode != nil: "ATT error \(attText)"
        case .notAuthorized where attCode != nil: "ATT error \(attText)"
        case .invalidArgument, .unsupported, .protocolViolation, .attributeNotFound, .notPermitted, .connectionStalled:
            dbusMessage
        // The text of the bus says nothing more, our own does.
        case .timedOut where dbusName == nil: dbusMessage
        default: nil
        }
    }
}

/// The names of ATT error codes. Source: Core Specification 5.4, Vol 3, Part F, 3.4.1.1 and the Supplement, Part B, 1.2.
enum ATTError {
    static func name(of code: UInt8) -> String? {
        switch code {
        case 0x01: "invalid handle"
        case 0x02: "read not permitted"
        case 0x03: "write not permitted"
        case 0x04: "invalid PDU"
        case 0x05: "insufficient authentication"
        case 0x06: "request not supported"
        case 0x07: "invalid offset"
        case 0x08: "insufficient authorization"
        case 0x09: "prepare queue full"
        case 0x0A: "attribute not found"
        case 0x0B: "attribute not long"
        case 0x0C: "insufficient encryption key size"
        case 0x0D: "invalid attribute value length"
        case 0x0E: "unlikely error"
        case 0x0F: "insufficient encryption"
        case 0x10: "unsupported group type"
        case 0x11: "insufficient resources"
        case 0x13: "value not allowed"
        case 0x80...0x9F: "application error"
        case 0xFC: "write request rejected"
        case 0xFD: "client characteristic configuration improperly configured"
        case 0xFE: "procedure already in progress"
        case 0xFF: "out of range"
        default: nil
        }
    }
}

/// The text for code that knows an error only as `any Error`, and asks Foundation for its `localizedDescription`.
extension BluetoothError: LocalizedError {
    /// The same text as ``description``. It is English, and not localized.
    public var errorDescription: String? { description }

    /// The same text as ``advice``.
    public var recoverySuggestion: String? { advice }
}

extension BluetoothError {
    /// What a person or a program can do about the kinds that have more to do with the program than with the machine.
    var adviceForPrograms: String? {
        switch kind {
        case .timedOut where operation == .connect:
            "Check that the peripheral is on and accepts connections, and try again."
        case .timedOut where changesNothing: "Try again, or allow more time."
        case .timedOut: "See whether it took effect before you try again."
        case .busy: "Wait a moment and try again."
        case .alreadyConnected: "Use the connection that is there, or dispose of it first."
        case .alreadyDone: "Go on, for there is nothing left to do."
        case .notConnected: "Connect first."
        case .disconnected(.requested): nil
        case .disconnected(.authentication): "Pair with the peripheral, and forget it before if it was paired already."
        // BlueZ before 5.83 does not say that a peripheral asked for pairing and refused it (Q121).
        case .disconnected(.unknown) where isOfAttribute, .disconnected(.remote) where isOfAttribute:
            "Connect again, and if this operation ends the link each time, pair with the peripheral first."
        case .disconnected: "Connect again when the peripheral and the adapter are there."
        case .connectFailed(let reason) where reason.hasPrefix("br-connection-") && reason != "br-connection-canceled":
            "BlueZ tried classic Bluetooth (Q83): remove the device, scan for LE only, and connect soon."
        case .connectFailed: "Bring the peripheral nearer, and try again."
        case .discoveryFailed: "Connect again, and if that does not help remove the device."
        case .attributeNotFound: "Discover the services again."
        case .notPermitted: "Look at the properties of the characteristic."
        case .connectionStalled: "Connect again."
        case .notAuthorized where attCode != nil: "See in the description of the peripheral how it authorizes a client."
        case .notAuthorized: "See who else uses it: bluetoothd keeps some services to itself."
        case .exclusiveUse: "End the other use of this characteristic."
        case .invalidArgument: "Change the argument."
        case .attError where attCode == 0x05 || attCode == 0x0C || attCode == 0x0F: "Pair with the peripheral."
        case .attError: "Look the code up in the description of the peripheral."
        case .unsupported where attCode != nil: "See in the description of the peripheral what the attribute can do."
        case .unsupported: "See whether a newer bluetoothd, or one that was started with -E, offers it."
        case .overflow: "Take values faster, or ask for a larger buffer or one that drops values."
        case .pairingFailed: "Put the peripheral into pairing mode, and try again."
        case .registrationFailed: "See why: journalctl -u bluetooth."
        case .protocolViolation: "Restart bluetoothd, and report it if it comes again."
        case .closed: "Make a new manager."
        case .bluez: "See what bluetoothd says: journalctl -u bluetooth."
        default: nil
        }
    }

    /// Whether the operation leaves everything as it was, so that it can be repeated.
    private var changesNothing: Bool {
        switch operation {
        case .readState, .scan, .connect, .discover, .read, .readDescriptor, .readRSSI, .notify: true
        default: false
        }
    }

    private var isOfAttribute: Bool {
        switch operation {
        case .read, .write, .readDescriptor, .writeDescriptor, .notify: true
        default: false
        }
    }
}
