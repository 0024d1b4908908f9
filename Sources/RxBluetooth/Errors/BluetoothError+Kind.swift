public import BluetoothValues

extension BluetoothError {
    /// What went wrong.
    public enum Kind: Hashable, Sendable {
        /// There is no system bus, or the connection to it is lost.
        case busUnavailable
        /// bluetoothd does not run, or does not list its objects within ``Deadlines/snapshot``.
        ///
        /// In the second case, ``BluetoothError/detail`` says so. If bluetoothd stops answering later, operations fail
        /// with ``timedOut``.
        case daemonUnavailable
        /// This process is not allowed to use bluetoothd.
        case unauthorized
        /// No adapter supports the central role, or the selected adapter is absent.
        case noAdapter
        /// The adapter is off.
        case poweredOff
        /// rfkill blocks the adapter.
        case blocked
        /// bluetoothd did not reply before the deadline. The operation may have taken effect.
        case timedOut
        /// bluetoothd or the peripheral is busy with another operation. Try again later.
        case busy
        /// This manager already has a connection to the peripheral.
        case alreadyConnected
        /// The requested state exists already, for example a bond.
        case alreadyDone
        /// There is no connection to the peripheral.
        case notConnected
        /// The connection ended, for the given reason.
        case disconnected(DisconnectReason)
        /// Connecting failed. The text is bluetoothd's reason.
        case connectFailed(String)
        /// The controller has no room for another connection or advertisement.
        case noFreeSlot
        /// The peripheral no longer has the key of the bond.
        case bondLost
        /// Reading the peripheral's services failed.
        case discoveryFailed
        /// bluetoothd has removed the peripheral. Scan for it again.
        case peripheralGone
        /// The service, characteristic or descriptor does not exist, or no longer exists.
        case attributeNotFound
        /// The characteristic does not offer the operation.
        ///
        /// If ``BluetoothError/attCode`` is not nil, the peripheral refuses an operation that its properties list.
        case notPermitted
        /// The operation needs a bond, or a stronger bond; see ``BluetoothError/isBondTooWeak``.
        case needsPairing
        /// bluetoothd no longer executes operations of this connection. Connect again.
        ///
        /// The cause is an earlier operation of the connection: it needed a pairing, and the pairing was refused.
        case connectionStalled
        /// The peripheral, bluetoothd or the ``PairingPolicy`` does not allow the operation.
        case refused
        /// Another program has exclusive use of the characteristic.
        case exclusiveUse
        /// An argument is not valid, for example a value that is too long.
        case invalidArgument
        /// The peripheral replied with an ATT error; see ``BluetoothError/attCode``.
        case attError
        /// The bytes of a characteristic are not a valid value of the requested type.
        ///
        /// The error of the decoder contains the bytes, the type and the reason.
        case invalidValue(ValueDecodingError)
        /// The installed bluetoothd, or the device, does not support the operation.
        case unsupported
        /// Values arrived faster than the subscriber processed them, and its ``ValueBuffer`` is full.
        case overflow
        /// A limit of the bus or of bluetoothd was reached.
        case resourceExhausted
        /// Pairing failed. The text is the last part of the name of bluetoothd's error.
        case pairingFailed(String)
        /// bluetoothd did not register an advertisement or services, or the kernel a PSM.
        ///
        /// The text is the reason.
        case registrationFailed(String)
        /// The peripheral refused the L2CAP channel.
        ///
        /// Nothing serves the PSM, the peripheral has no room, or the link has too little security.
        case channelRefused
        /// The L2CAP channel is closed, by the peripheral or by this program.
        case channelClosed
        /// bluetoothd's reply is malformed.
        case protocolViolation
        /// The manager or the ``CharacteristicWriter`` was closed.
        case closed
        /// An error of bluetoothd that this module does not recognise; see ``BluetoothError/dbusName``.
        ///
        /// The name is nil if bluetoothd ended an acquired socket or an advertisement without an error.
        case bluez
    }

    /// Why a connection ended.
    public enum DisconnectReason: String, Sendable {
        // Q86, see docs/quirks.md.
        /// bluetoothd gave no reason. Versions before BlueZ 5.83 never give a reason.
        ///
        /// Usually the peripheral is out of range or was switched off, or it closed the link.
        case unknown
        /// The peripheral did not respond in time. From BlueZ 5.83 on.
        case timeout
        /// The peripheral closed the link. From BlueZ 5.83 on.
        case remote
        /// This computer closed the link, but this program did not request it. From BlueZ 5.83 on.
        case local
        /// Pairing failed, or the bond was not accepted.
        case authentication
        /// This computer was suspended. From BlueZ 5.83 on.
        case suspend
        /// This program closed the link.
        case requested
        /// The adapter was switched off or removed.
        case adapter
        /// bluetoothd removed the device, usually for another program, also if it had closed the link first.
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
        case .unauthorized: "unauthorized"
        case .noAdapter: "no-adapter"
        case .poweredOff: "powered-off"
        case .blocked: "blocked"
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
        case .refused: "refused"
        case .exclusiveUse: "exclusive-use"
        case .invalidArgument: "invalid-argument"
        case .attError: "att-error"
        case .invalidValue: "invalid-value"
        case .unsupported: "unsupported"
        case .overflow: "overflow"
        case .resourceExhausted: "resource-exhausted"
        case .pairingFailed: "pairing-failed"
        case .registrationFailed: "registration-failed"
        case .channelRefused: "channel-refused"
        case .channelClosed: "channel-closed"
        case .protocolViolation: "protocol-violation"
        case .closed: "closed"
        case .bluez: "bluez"
        }
    }
}
