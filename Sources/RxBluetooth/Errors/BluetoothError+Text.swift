public import FoundationEssentials

extension BluetoothError: CustomStringConvertible {
    /// What failed, the cause, and what to do, in one line: ``summary`` followed by ``advice``.
    public var description: String { advice.map { "\(summary) \($0)" } ?? summary }

    /// What failed and the cause, in one sentence, without advice.
    ///
    /// Use the summary if the program follows the advice without its user.
    public var summary: String {
        (subject.map { "\($0): \(cause)" } ?? cause) + "."
    }

    /// The cause with its details, without what failed and without a full stop.
    var cause: String { reason + suspicion + (explanation.map { " (\($0))" } ?? "") }

    /// What to do, in one sentence; nil if this program closed the link.
    public var advice: String? {
        switch kind {
        case .busUnavailable:
            "Check that the system bus runs (systemctl status dbus), or install it: sudo apt install dbus."
        case .daemonUnavailable where detail != nil: "Restart it: sudo systemctl restart bluetooth."
        case .daemonUnavailable: "Start it: sudo systemctl start bluetooth."
        case .unauthorized where isOfAdvertisementSource, .unsupported where isOfAdvertisementSource:
            "Give the program CAP_NET_ADMIN in the network namespace of the host, or scan with the source .automatic."
        case _ where isOfAdvertisementSource: "Scan again, or scan with the source .automatic."
        case .unauthorized where operation == .updateLink:
            "Give the program CAP_NET_ADMIN in the network namespace of the host."
        case .unauthorized where operation == .publishChannel: "Use a PSM from 128 on, or any free one."
        case .unauthorized where operation == .openChannel:
            "Allow sockets of the family AF_BLUETOOTH, for example in the seccomp filter of the container."
        case .unauthorized where operation == .readRSSI && dbusName == nil:
            "Give the program CAP_NET_RAW in the network namespace of the host."
        case .unauthorized: adviceOnAccess
        case .noAdapter: "Plug in a Bluetooth adapter, or list those that are present: bluetoothctl list."
        case .poweredOff: "Switch it on: bluetoothctl power on."
        case .blocked where isHardwareBlocked:
            "Turn on the hardware switch of the radio, or press the key of this machine that controls its radios."
        case .blocked: "Unblock it: rfkill unblock bluetooth."
        case .noFreeSlot where operation == .advertise: "End another advertisement first."
        case .noFreeSlot: "Wait until another connection has ended, or disconnect another device."
        case .bondLost: "Forget the device, then pair it again."
        case .peripheralGone: "Scan for it again."
        case .needsPairing where isBondTooWeak: "Forget the device, then pair it with a passkey."
        case .needsPairing where isKeySuspected: "Forget the device if it has a bond with a short key, and pair it."
        case .needsPairing: "Pair it first."
        case .pairingFailed("AuthenticationTimeout"), .pairingFailed("ConnectionAttemptFailed"):
            "Put the device into pairing mode, and try again."
        case .pairingFailed("AuthenticationCanceled"): "Keep the device near and switched on, and try again."
        case .pairingFailed("AuthenticationRejected"): "Check that the device accepts new bonds, and try again."
        case .pairingFailed:
            "Check the passkey, whether the device needs one, and that it is in pairing mode, and try again."
        case .resourceExhausted: "Make fewer requests at once."
        default: adviceForPrograms
        }
    }

    private var subject: String? { operation.map { $0.phrase(on: target) } ?? target }

    private var reason: String {
        if let attError { return attError.cause }
        return switch kind {
        case .busUnavailable: "the system bus is unavailable"
        case .daemonUnavailable where detail != nil: "bluetoothd runs, but cannot be used"
        case .daemonUnavailable: "bluetoothd is not running"
        case .unauthorized where isOfAdvertisementSource:
            "this process is not allowed to receive advertisements from the kernel"
        case .unsupported where isOfAdvertisementSource: "there are no advertisements from the kernel"
        case _ where isOfAdvertisementSource: "the kernel sends no more advertisements"
        case .unauthorized where operation == .updateLink: "this process is not allowed to change links"
        case .unauthorized where operation == .publishChannel: "this process is not allowed to use the PSM"
        case .unauthorized where operation == .openChannel: "this process is not allowed to open L2CAP channels"
        case .unauthorized where operation == .readRSSI && dbusName == nil:
            "this process is not allowed to read the RSSI from the kernel"
        case .unauthorized: accessControl?.reason ?? "this process is not allowed to use bluetoothd"
        case .noAdapter: "there is no matching Bluetooth adapter"
        case .poweredOff: "the Bluetooth adapter is off"
        case .blocked where isHardwareBlocked: "a hardware switch blocks the Bluetooth adapter"
        case .blocked: "the Bluetooth adapter is blocked by rfkill"
        case .timedOut: "there was no reply in time"
        case .busy where isOfKeptDevice: "bluetoothd has not removed the device"
        case .busy: "bluetoothd is busy with another request"
        case .alreadyConnected: "this program is already connected"
        case .alreadyDone: "the requested state exists already"
        case .notConnected: "the peripheral is not connected"
        case .disconnected(let loss) where pairingClue == .duringPairing: Self.endOfPairing(loss)
        case .disconnected(.requested): "the link was closed by this program"
        case .disconnected(.adapter): "the link was lost, because the adapter was switched off or removed"
        case .disconnected(.removed):
            "the link was lost, because the device was removed from bluetoothd, possibly by another program"
        case .disconnected(.daemon): "the link was lost, because bluetoothd stopped"
        case .disconnected(.bus): "the link was lost, because the system bus was lost"
        case .disconnected(.timeout): "the link was lost, because the peripheral did not respond in time"
        case .disconnected(.remote): "the link was closed by the peripheral"
        case .disconnected(.local): "the link was closed by this computer"
        case .disconnected(.authentication) where pairingClue == .refused:
            "the link was lost, because the peripheral refuses pairing"
        case .disconnected(.authentication): "the link was lost, because pairing failed or the bond was not accepted"
        case .disconnected(.suspend): "the link was closed, because this computer was suspended"
        case .disconnected(.unknown): "the link was lost"
        case .connectFailed: "the connection attempt failed"
        case .noFreeSlot where operation == .advertise: "the adapter has no room for another advertisement"
        case .noFreeSlot: "the adapter has no room for another connection"
        case .bondLost: "the peripheral no longer has the bond"
        case .discoveryFailed: "the services could not be read"
        case .peripheralGone: "bluetoothd no longer has the device"
        case .attributeNotFound: "there is no such attribute"
        case .notPermitted where operation == .read: "the characteristic cannot be read"
        case .notPermitted where operation == .write: "the characteristic cannot be written in this way"
        case .notPermitted where operation == .notify: "the characteristic cannot send values in this way"
        case .notPermitted where operation == .writeDescriptor: "the descriptor cannot be written"
        case .notPermitted: "the attribute does not offer this"
        // For a bond without authentication and for a short key, bluetoothd sends the same error (Q96).
        case .needsPairing where isBondTooWeak && isKeySuspected:
            "the attribute requires a stronger bond, or a longer encryption key"
        case .needsPairing where isBondTooWeak: "the attribute requires a stronger bond"
        case .needsPairing where isKeySuspected: "the encryption key is too short for the attribute"
        case .needsPairing: "the peripheral requires pairing"
        case .connectionStalled: "bluetoothd executes no more operations of this connection"
        case .refused: "the operation was refused"
        case .exclusiveUse: "a program has exclusive use of the characteristic"
        case .invalidArgument: "an argument is not valid"
        case .attError: "the peripheral refused with an ATT error of unknown number"
        case .invalidValue(let error): "the value is not a valid \(error.subject)"
        case .unsupported: "it is not supported"
        case .overflow: "values arrived faster than they were taken"
        case .resourceExhausted: "a limit of the bus was reached"
        case .pairingFailed: "pairing failed"
        case .registrationFailed where operation == .publishChannel: "the kernel did not register the PSM"
        case .registrationFailed: "bluetoothd did not register it"
        case .channelRefused: "the peripheral refused the channel"
        case .channelClosed: "the channel is closed"
        case .protocolViolation: "the reply of bluetoothd is malformed"
        case .closed where isOfWriter: "the writer was closed"
        case .closed: "the manager was closed"
        case .bluez: "bluetoothd reports an error"
        }
    }

    /// Returns how a link ended during a pairing of this module.
    private static func endOfPairing(_ loss: DisconnectReason) -> String {
        switch loss {
        case .remote: "the peripheral closed the link during pairing, so pairing was refused or failed"
        case .local: "this computer closed the link during pairing, possibly because the peripheral refused it"
        case .authentication: "the link was lost during pairing, because pairing failed"
        default: "the link was lost during pairing, possibly because the peripheral refused it"
        }
    }

    /// What may have ended the link, as an addition to ``reason``; empty if nothing is suspected.
    private var suspicion: String {
        if mayHaveLostBond { return ", possibly because the peripheral no longer has the bond" }
        guard isOfPairingByBluetoothd else { return "" }
        return switch kind {
        case .disconnected where pairingClue == .service:
            ", possibly because a pairing was refused that no operation had started"
        case .needsPairing where pairingClue == .service:
            ", for a service that bluetoothd uses by itself, such as that of an input device"
        case .disconnected:
            ", possibly because the battery level, or another value that bluetoothd reads by itself, requires pairing"
        case .needsPairing:
            ", for this attribute, or for the battery level or another value that bluetoothd reads by itself"
        default: ""
        }
    }

    /// Whether an error of kind ``Kind/closed`` is of a ``CharacteristicWriter``, not of the manager.
    private var isOfWriter: Bool { operation == .write && detail != nil }

    /// Whether bluetoothd has answered `RemoveDevice`, and still has the device (Q138).
    private var isOfKeptDevice: Bool { operation == .forget && detail != nil }

    /// The texts of the ATT error that the peripheral sent; nil if there is none, or if ``kind`` is more precise.
    private var attError: ATTErrorTable.Row? {
        guard let attCode else { return nil }
        return switch kind {
        case .notPermitted, .refused, .unsupported, .invalidArgument, .attError:
            ATTErrorTable.row(of: attCode, during: operation)
        default: nil
        }
    }

    /// The text in parentheses, with facts that ``reason`` does not contain; nil if there are none.
    private var explanation: String? {
        if let detail { return detail }
        if let attCode, let attError {
            return "ATT error 0x" + Hex.text(attCode) + (attError.name.map { " “\($0)”" } ?? "")
        }
        switch kind {
        case .connectFailed(let reason), .pairingFailed(let reason), .registrationFailed(let reason):
            return reason.isEmpty ? nil : reason
        case .bluez: return [dbusName, dbusMessage].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
        case .invalidValue(let error):
            let bytes = error.bytes.map { Hex.text($0) }.joined()
            return "\(error.reason), bytes: \(bytes.isEmpty ? "none" : bytes)"
        case .unauthorized: return accessControl == nil && dbusMessage?.isEmpty == false ? dbusMessage : nil
        case .invalidArgument, .unsupported, .protocolViolation, .attributeNotFound, .notPermitted: return dbusMessage
        default: return nil
        }
    }
}

/// The text of `localizedDescription`, for code that has only an `any Error`.
extension BluetoothError: LocalizedError {
    /// The same text as ``description``, which is always English.
    public var errorDescription: String? { description }

    /// The same text as ``advice``.
    public var recoverySuggestion: String? { advice }
}

extension BluetoothError {
    /// The advice for the kinds of error that ``advice`` does not handle; nil if none is needed.
    var adviceForPrograms: String? {
        if let attError { return attError.advice }
        return switch kind {
        case .timedOut where operation == .connect:
            "Check that the peripheral is on and accepts connections, and try again."
        case .timedOut where mayNeedStrongerBond:
            "Try again, or allow more time; if only this attribute has no reply, it may require a stronger bond: forget "
                + "the peripheral, and pair it again with a passkey."
        case .timedOut where changesNothing: "Try again, or allow more time."
        case .timedOut: "Check whether it took effect before you try again."
        case .busy where isOfKeptDevice:
            "Forget it again after half a minute, or restart bluetoothd: sudo systemctl restart bluetooth."
        case .busy: "Wait a moment and try again."
        case .alreadyConnected: "Use the existing connection, or dispose of it first."
        case .alreadyDone: "Continue: there is nothing left to do."
        case .notConnected: "Connect first."
        case .disconnected(.requested): nil
        case .disconnected where pairingClue == .duringPairing:
            "Put the peripheral into pairing mode, and pair it again."
        case .disconnected where isOfPairingByBluetoothd && operation == .pair:
            "Put the peripheral into pairing mode, and try again."
        case .disconnected where isOfPairingByBluetoothd: "Put the peripheral into pairing mode, then pair it."
        case .disconnected(.authentication) where mayNeedStrongerBond:
            "An attribute may require a stronger bond: forget the peripheral, and pair it again with a passkey."
        case .disconnected(.authentication) where pairingClue == .refused:
            "It may accept no new bonds now, or have a bond with another host: put it into pairing mode, then pair it."
        case .disconnected(.authentication): "Pair with the peripheral; if it was paired before, forget it first."
        case .disconnected(.removed): "Connect again; if the peripheral was paired, pair it again."
        case .disconnected where mayHaveLostBond && isLinkShared:
            "Connect again; if each link ends, forget the peripheral, then pair it; this program had not made this "
                + "link, so another program may also have closed it."
        case .disconnected(.unknown) where isLinkShared, .disconnected(.local) where isLinkShared:
            "Connect again: this program had not made the link, so another program may have closed it."
        case .disconnected where pairingClue == .possible && isOfAttribute && mayNeedStrongerBond:
            "Connect again, nearer if possible; if only this operation ends the link, it may require a stronger bond: "
                + "forget the peripheral, and pair it again with a passkey."
        case .disconnected where mayHaveLostBond:
            "Connect again; if each link ends, forget the peripheral, then pair it."
        // A peripheral may drop the link instead of pairing, or refuse to pair, and the kernel then closes the link.
        // bluetoothd reports neither (Q121), so the advice suggests pairing if the operation may have needed it.
        case .disconnected where pairingClue == .possible && isOfAttribute:
            "Connect again, nearer if possible; if only this operation ends the link, pair with the peripheral first."
        case .disconnected(.unknown) where isOfAttribute, .disconnected(.remote) where isOfAttribute,
            .disconnected(.timeout) where isOfAttribute:
            "Connect again, and bring the peripheral nearer if the link ends again."
        case .disconnected: "Connect again when the peripheral and the adapter are available."
        case .connectFailed(Self.classicOnly):
            "Disconnect the device in the program that uses it, scan for it, and connect again."
        // The next attempt would use classic Bluetooth again (Q83).
        case .connectFailed where isOfWrongBearer:
            "BlueZ tried classic Bluetooth: remove the device, scan for LE only, and connect soon."
        case .connectFailed: "Bring the peripheral nearer, and try again."
        case .discoveryFailed: "Connect again; if that does not help, remove the device."
        case .attributeNotFound: "Discover the services again."
        case .notPermitted where dbusName == nil && operation == .writeDescriptor:
            "Observe the values of the characteristic, which turns its notifications or indications on."
        case .notPermitted where dbusName == nil: "Use an operation that the characteristic offers."
        case .notPermitted: "Check the properties of the characteristic."
        case .connectionStalled: "Connect again."
        // Without a D-Bus error, this module refused the pairing because of the policy.
        case .refused where operation == .pair && dbusName == nil: "Allow the device in the PairingPolicy."
        case .refused: "Check whether another program uses it: bluetoothd keeps some services to itself."
        case .exclusiveUse: "End the other use of this characteristic."
        case .invalidArgument: "Change the argument."
        case .attError: "Look up the code in the documentation of the peripheral."
        case .invalidValue: "Read the bytes, and look up their format in the documentation of the peripheral."
        case .unsupported where operation == .scan:
            "Start bluetoothd with its experimental mode (-E), use a newer kernel, or scan with the mode .active."
        case .unsupported where dbusName == nil && (operation == .openChannel || operation == .publishChannel):
            "Use a manager on the system bus and a kernel with Bluetooth; on another bus, set Configuration.channels."
        case .unsupported where dbusName == nil && operation == .readRSSI:
            "Use a manager on the system bus, or another adapter."
        // It reads the level itself, and reports none if the peripheral does not notify it.
        case .unsupported where missingBattery == .hidden:
            "Start bluetoothd with --noplugin=battery, so that it shows the service."
        case .unsupported where missingBattery == .absent:
            "Read in the documentation of the peripheral how it reports its battery."
        case .unsupported: "Check whether a newer bluetoothd, or one that was started with -E, supports it."
        case .overflow: "Take values faster, or use a larger buffer or one that drops values."
        case .pairingFailed: "Put the peripheral into pairing mode, and try again."
        case .registrationFailed where operation == .publishChannel: "Use another PSM, or any free one."
        case .registrationFailed: "Read the reason in the log: journalctl -u bluetooth."
        case .channelRefused: "Check that the peripheral serves this PSM, and whether it requires encryption."
        case .channelClosed: "Open the channel again."
        case .protocolViolation: "Restart bluetoothd, and report the error if it occurs again."
        case .closed where isOfWriter: "Acquire the characteristic again."
        case .closed: "Make a new manager."
        case .bluez: "Read the log of bluetoothd: journalctl -u bluetooth."
        default: nil
        }
    }

    /// Whether a program can safely repeat the operation after a time-out.
    private var changesNothing: Bool {
        switch operation {
        case .readState, .scan, .listPeripherals, .connect, .discover, .read, .readDescriptor, .readRSSI, .notify,
            .openChannel,
            .readLink:
            true
        default: false
        }
    }

    /// Whether the operation accesses a characteristic or a descriptor.
    package var isOfAttribute: Bool {
        switch operation {
        case .read, .write, .readDescriptor, .writeDescriptor, .notify: true
        default: false
        }
    }
}

extension Error {
    /// The text of the error, for programs that do not import Foundation, which has a property with this name too.
    ///
    /// For a ``BluetoothError``, it is the same text as its `description`.
    @_disfavoredOverload
    public var localizedDescription: String { "\(self)" }
}
