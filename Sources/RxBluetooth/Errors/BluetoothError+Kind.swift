extension BluetoothError {
    /// What went wrong.
    public enum Kind: Hashable, Sendable {
        /// There is no system bus, or the connection to it was lost.
        case busUnavailable
        /// bluetoothd does not run, or stopped.
        case daemonUnavailable
        /// This process may not speak to bluetoothd.
        case permissionDenied
        /// There is no adapter, or not the one that was asked for.
        case noAdapter
        /// The adapter is off.
        case adapterOff
        /// The adapter is blocked by rfkill.
        case adapterBlocked
        /// No answer came before the deadline. The operation may have taken effect (Q8).
        case timedOut
        /// Something else is under way; try again later.
        case busy
        /// This manager has a live connection to the peripheral already.
        case alreadyConnected
        /// What was asked for is so already: bluetoothd has it, or has ended it.
        case alreadyDone
        /// There is no connection to the peripheral.
        case notConnected
        /// The connection ended.
        case disconnected(DisconnectReason)
        /// The connection could not be made; the text is the daemon's reason.
        case connectFailed(String)
        /// The controller has no room for another connection, or advertisement.
        case noFreeSlot
        /// The peripheral no longer has the key of the bond (Q87).
        case bondLost
        /// The peripheral's services could not be read.
        case discoveryFailed
        /// bluetoothd forgot the peripheral; scan for it again (Q59).
        case peripheralGone
        /// The service, characteristic or descriptor does not exist, or no longer does.
        case attributeNotFound
        /// The characteristic does not offer the operation.
        case notPermitted
        /// The operation needs a bond, or a better one; see ``BluetoothError/isBondTooWeak``.
        case needsPairing
        /// bluetoothd carries out nothing more over this connection, because an earlier operation needed a pairing that was
        /// refused. Connect again.
        case connectionStalled
        /// The peripheral or bluetoothd refuses the operation to us.
        case notAuthorized
        /// Another program uses the characteristic alone.
        case exclusiveUse
        /// An argument is not acceptable, for example a value that is too long.
        case invalidArgument
        /// The peripheral answered with an ATT error; see ``BluetoothError/attCode``.
        case attError
        /// This bluetoothd, or the device, does not offer it.
        case unsupported
        /// Values came faster than the subscriber took them, and its ``ValueBuffer`` is full.
        case overflow
        /// A bus or a daemon limit was reached.
        case resourceExhausted
        /// Pairing failed; the text is the last part of the daemon's name for it.
        case pairingFailed(String)
        /// bluetoothd did not take an advertisement, and does not say more than the text.
        case registrationFailed(String)
        /// bluetoothd's answer makes no sense.
        case protocolViolation
        /// The manager was closed.
        case closed
        /// Any error that bluetoothd has and this table has not; see ``BluetoothError/dbusName``.
        case bluez
    }

    /// Why a connection ended.
    public enum DisconnectReason: String, Sendable {
        /// Nobody said why: up to BlueZ 5.82 the daemon does not (Q86). Usually the peripheral went out of
        /// range, was switched off, or ended the link.
        case unknown
        /// The peripheral was not heard for too long. This and the four below are told from BlueZ 5.83 on.
        case timeout
        /// The peripheral ended it.
        case remote
        /// This computer ended it, and not by this program.
        case local
        /// The link could not be encrypted: the peripheral refused to pair, pairing failed, or the bond does not hold (Q87).
        case authentication
        /// This computer went to sleep (Q34).
        case suspend
        /// This program asked for it.
        case requested
        /// The adapter was switched off or removed.
        case adapter
        /// bluetoothd forgot the device, because somebody removed it (Q61).
        case removed
        /// bluetoothd stopped.
        case daemon
        /// The connection to the system bus was lost.
        case bus
    }
}

extension BluetoothError.Kind {
    var code: String {
        switch self {
        case .busUnavailable: "bus-unavailable"
        case .daemonUnavailable: "daemon-unavailable"
        case .permissionDenied: "permission-denied"
        case .noAdapter: "no-adapter"
        case .adapterOff: "adapter-off"
        case .adapterBlocked: "adapter-blocked"
        case .timedOut: "timed-out"
        case .busy: "busy"
        case .alreadyConnected: "already-connected"
        case .alreadyDone: "already-done"
        case .notConnected: "not-connected"
        case .disconnected: "disconnected"
        case .connectFailed: "connect-failed"
        case .noFreeSlot: "no-free-slot"
        case .bondLost: "bond-lost"
        case .discoveryFailed: "discovery-failed"
        case .peripheralGone: "peripheral-gone"
        case .attributeNotFound: "attribute-not-found"
        case .notPermitted: "not-permitted"
        case .needsPairing: "needs-pairing"
        case .connectionStalled: "connection-stalled"
        case .notAuthorized: "not-authorized"
        case .exclusiveUse: "exclusive-use"
        case .invalidArgument: "invalid-argument"
        case .attError: "att-error"
        case .unsupported: "unsupported"
        case .overflow: "overflow"
        case .resourceExhausted: "resource-exhausted"
        case .pairingFailed: "pairing-failed"
        case .registrationFailed: "registration-failed"
        case .protocolViolation: "protocol-violation"
        case .closed: "closed"
        case .bluez: "bluez"
        }
    }
}
