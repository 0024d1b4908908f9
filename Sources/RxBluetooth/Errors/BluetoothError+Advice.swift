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
