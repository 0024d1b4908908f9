/// The error of this module: what failed, its cause, the target, and what to do.
///
/// ``kind`` is what a program decides by; it never needs to compare texts. The name and the text of bluetoothd's error
/// are always kept. Two errors are equal if their kinds, ATT codes and targets are equal.
///
/// ## Which operation fails with which kind
///
/// - Every operation: ``Kind/busUnavailable``, ``Kind/daemonUnavailable``, ``Kind/unauthorized``, ``Kind/noAdapter``,
///   ``Kind/poweredOff`` and ``Kind/blocked`` if Bluetooth cannot be used; ``Kind/closed`` after the manager was
///   closed; ``Kind/timedOut`` after its deadline of ``Deadlines``.
/// - Operations over a connection: ``Kind/notConnected`` if there is none; ``Kind/disconnected(_:)`` when it ends, all
///   with the same reason; ``Kind/attributeNotFound`` if the discovered attribute is no longer valid.
/// - Reads, writes and notifications: ``Kind/notPermitted`` before anything is sent, if the properties do not offer the
///   operation; ``Kind/attError``, ``Kind/needsPairing``, ``Kind/refused``, ``Kind/invalidArgument`` or ``Kind/busy``
///   if the peripheral or bluetoothd refuses; ``Kind/exclusiveUse`` if another program has exclusive use;
///   ``Kind/connectionStalled`` if an earlier operation of the connection needed a pairing that was refused.
/// - Connecting: ``Kind/connectFailed(_:)``, ``Kind/noFreeSlot``, ``Kind/bondLost`` or ``Kind/discoveryFailed``.
/// - Pairing: ``Kind/pairingFailed(_:)``. If the bond exists already, this module treats ``Kind/alreadyDone`` as
///   success.
/// - Advertising: ``Kind/noFreeSlot`` or ``Kind/registrationFailed(_:)``.
/// - Every operation: ``Kind/bluez`` for an error of bluetoothd that this module does not recognise.
///
/// The documentation of an operation lists what it adds.
public struct BluetoothError: Error, Sendable {
    /// What went wrong.
    public let kind: Kind
    /// The operation that failed; nil if no operation did, for example after a link loss.
    public private(set) var operation: Operation?
    /// The target of the operation as text for people: an address, an adapter or an attribute.
    public private(set) var target: String?
    /// This module's explanation, a phrase without a full stop; nil if the kind says all.
    ///
    /// It is part of ``summary`` and ``description``.
    public let detail: String?
    /// The D-Bus name of the error, for example `org.bluez.Error.NotReady`; nil if it did not come over D-Bus.
    public let dbusName: String?
    /// The text of the D-Bus error; nil if it did not come over D-Bus.
    public let dbusMessage: String?
    /// The ATT error code; nil if the peripheral did not send one.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.4.1.1.
    public let attCode: UInt8?
    /// Whether the device has a bond that protects the link less than the attribute requires.
    ///
    /// It is true only together with ``Kind/needsPairing``. ``Peripheral/pair()`` does not help then, because it
    /// succeeds with the existing bond: call ``Peripheral/forget()`` first, and pair with a ``PairingPolicy`` that can
    /// enter or compare a passkey.
    public private(set) var isBondTooWeak = false
    /// Whether this module inferred the kind from events; bluetoothd did not report it.
    private(set) var isInferred = false

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - operation: The operation that failed. Default: none.
    ///   - target: The target of the operation, as text. Default: none.
    ///   - detail: An explanation, without a full stop. Default: none.
    ///   - dbusName: The name of the D-Bus error. Default: none.
    ///   - dbusMessage: The text of the D-Bus error. Default: none.
    ///   - attCode: The ATT error code. Default: none.
    public init(
        _ kind: Kind, operation: Operation? = nil, target: String? = nil, detail: String? = nil,
        dbusName: String? = nil, dbusMessage: String? = nil, attCode: UInt8? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.target = target
        self.detail = detail
        self.dbusName = dbusName
        self.dbusMessage = dbusMessage
        self.attCode = attCode
    }

    /// The operations that can fail.
    public enum Operation: String, Sendable {
        /// One operation of this module each, by its name.
        case readState, scan, connect, disconnect, discover, read, write, readDescriptor, writeDescriptor
        /// Reading the RSSI of a link.
        case readRSSI
        /// Pairing, trusting a device, and removing a device with its bond.
        case pair, trust, forget
        /// Turning notifications on, or receiving them.
        case notify
        /// Advertising this computer.
        case advertise
    }

    /// The same error, with this operation and this target if it has none yet.
    func during(_ operation: Operation, _ target: String?) -> BluetoothError {
        with(self.operation ?? operation, self.target ?? target)
    }

    /// The same error with another operation and target.
    func with(_ operation: Operation?, _ target: String?) -> BluetoothError {
        var error = self
        error.operation = operation
        error.target = target
        return error
    }

    /// The same error, with ``isInferred`` set.
    var inferred: BluetoothError {
        var error = self
        error.isInferred = true
        return error
    }

    /// The same error, with ``isBondTooWeak`` set if it asks for pairing although there is a bond.
    func withWeakBond(_ isBonded: Bool) -> BluetoothError {
        var error = self
        error.isBondTooWeak = isBonded && kind == .needsPairing
        return error
    }

    /// An error of bluetoothd with a kind that is more precise than bluetoothd's; its name and text are kept.
    init(_ kind: Kind, after error: BluetoothError) {
        self.init(
            kind, operation: error.operation, target: error.target, detail: error.detail, dbusName: error.dbusName,
            dbusMessage: error.dbusMessage, attCode: error.attCode)
    }

    /// A word for the kind, for logs and JSON. It stays the same in all versions.
    public var code: String { kind.code }

    /// Whether the same operation may succeed if it is repeated soon, with nothing else done before.
    ///
    /// It is true if bluetoothd or the peripheral is busy or short of a resource, if bluetoothd is absent, because the
    /// system starts it again, if connecting over LE or reading the services failed, and if a pairing ran into a
    /// time-out. If ``outcomeUnknown`` is true, read the state before you repeat the operation.
    ///
    /// It is false if something must happen before: the adapter must be switched on, the peripheral connected, found by
    /// a scan, paired, or connected over LE instead of classic Bluetooth.
    public var isTransient: Bool {
        switch kind {
        case .busy, .timedOut, .noFreeSlot, .daemonUnavailable, .discoveryFailed: true
        // A connection over classic Bluetooth fails again (Q83).
        case .connectFailed: !isOfWrongBearer
        case .pairingFailed("AuthenticationTimeout"), .pairingFailed("ConnectionAttemptFailed"): true
        case .attError: attCode == 0x0E || attCode == 0x11
        default: false
        }
    }

    /// Whether the operation may have taken effect although it failed. Read the state before you repeat it.
    public var outcomeUnknown: Bool {
        switch kind {
        case .timedOut: true
        case .disconnected, .daemonUnavailable, .busUnavailable, .closed:
            [.write, .writeDescriptor, .trust, .forget].contains(operation)
        default: false
        }
    }
}

extension BluetoothError: Equatable {
    /// Whether the kinds, the ATT codes and the targets are equal.
    public static func == (one: BluetoothError, other: BluetoothError) -> Bool {
        one.kind == other.kind && one.attCode == other.attCode && one.target == other.target
    }
}
