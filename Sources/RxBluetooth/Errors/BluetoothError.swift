/// The one error of this module: what went wrong, while doing what, to whom, and what can be done.
///
/// The name and the text that bluetoothd gave are always kept. Two errors are equal where their kind, their ATT
/// code and their target are. ``kind`` decides what a program does; it never needs to compare texts.
///
/// ## What fails how
///
/// - Everything: with ``Kind/busUnavailable``, ``Kind/daemonUnavailable``, ``Kind/permissionDenied``, ``Kind/noAdapter``,
///   ``Kind/adapterOff`` and ``Kind/adapterBlocked`` where Bluetooth cannot be used, with ``Kind/closed`` once the manager is, and with
///   ``Kind/timedOut`` at the deadline that ``Deadlines`` gives it.
/// - What runs over a connection: with ``Kind/notConnected`` where there is none, with ``Kind/disconnected(_:)`` and one
///   reason for all when it ends (S59), and with ``Kind/attributeNotFound`` where what was discovered is no longer valid (S53, S54).
/// - Reads, writes and notifications: with ``Kind/notPermitted`` before anything is sent where the properties do not offer it (S65);
///   with ``Kind/attError``, ``Kind/needsPairing``, ``Kind/notAuthorized``, ``Kind/invalidArgument`` and ``Kind/busy`` as the
///   peripheral or bluetoothd refuses; with ``Kind/exclusiveUse`` where a program has the characteristic alone (Q105); with
///   ``Kind/connectionStalled`` after an earlier operation of the connection needed a pairing that was refused.
/// - Connecting: with ``Kind/connectFailed(_:)``, ``Kind/noFreeSlot``, ``Kind/bondLost`` or ``Kind/discoveryFailed``. Pairing: with
///   ``Kind/pairingFailed(_:)``. Advertising: with ``Kind/noFreeSlot`` or ``Kind/registrationFailed(_:)``. ``Kind/alreadyDone`` is
///   a success where this module asks for what is so already, for instance for a bond that is there (Q89).
/// - Any of them: with ``Kind/bluez`` for what bluetoothd says and nobody has seen yet; its name and text are kept.
///
/// The documentation of an operation tells what it adds to these.
public struct BluetoothError: Error, Sendable {
    /// What went wrong.
    public let kind: Kind
    /// What was being done; nil for what nobody asked for, such as a lost link.
    public let operation: Operation?
    /// What it was done to: an address, an adapter or an attribute, as text for people.
    public let target: String?
    /// The D-Bus name of the error, for example `org.bluez.Error.NotReady`; nil where it did not come over D-Bus.
    public let dbusName: String?
    /// The text that came with it; nil where it did not come over D-Bus.
    public let dbusMessage: String?
    /// The ATT error code, where the peripheral gave one. Source: Core Specification 5.4, Vol 3, Part F, 3.4.1.1.
    public let attCode: UInt8?
    /// Whether the device has a bond that protects the link less than the attribute requires.
    ///
    /// Set only together with ``Kind/needsPairing``. ``Peripheral/pair()`` does not help then, because it succeeds with the bond that
    /// exists: call ``Peripheral/forget()`` first, and pair with a ``PairingPolicy`` that can give or compare a passkey.
    public private(set) var isBondTooWeak = false
    /// Whether this module concluded the kind from what happened, and bluetoothd did not give it.
    private(set) var isInferred = false

    /// Makes an error.
    public init(
        _ kind: Kind, operation: Operation? = nil, target: String? = nil, dbusName: String? = nil,
        dbusMessage: String? = nil, attCode: UInt8? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.target = target
        self.dbusName = dbusName
        self.dbusMessage = dbusMessage
        self.attCode = attCode
    }

    /// What was being done when an error came.
    public enum Operation: String, Sendable {
        /// One operation of this module each; the names say which.
        case readState, scan, connect, disconnect, discover, read, write, readDescriptor, writeDescriptor
        /// Reading how strong a link is received.
        case readRSSI
        /// One of pairing each.
        case pair, trust, forget
        /// Turning notifications on, or receiving them.
        case notify
        /// Advertising this computer.
        case advertise
    }

    /// The same error, told of an operation and a target where it does not name one yet.
    func during(_ operation: Operation, _ target: String?) -> BluetoothError {
        with(self.operation ?? operation, self.target ?? target)
    }

    /// The same error with another operation and target.
    func with(_ operation: Operation?, _ target: String?) -> BluetoothError {
        var error = BluetoothError(
            kind, operation: operation, target: target, dbusName: dbusName, dbusMessage: dbusMessage, attCode: attCode)
        error.isBondTooWeak = isBondTooWeak
        error.isInferred = isInferred
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

    /// What an error of bluetoothd really means, where more is known than it says; its name and text are kept.
    init(_ kind: Kind, after error: BluetoothError) {
        self.init(
            kind, operation: error.operation, target: error.target, dbusName: error.dbusName,
            dbusMessage: error.dbusMessage, attCode: error.attCode)
    }

    /// A word for the kind that stays the same in all versions, for logs and JSON.
    public var code: String { kind.code }

    /// Whether the same operation may succeed when this program tries it again soon and does nothing else before.
    ///
    /// That is so where bluetoothd or the peripheral is busy, or short of something for a moment; where bluetoothd is away, which is started
    /// again; where a connection was not made over LE or its services could not be read, though some tries are enough; and where a
    /// pairing ran into a timeout. Look at the state first where ``outcomeUnknown`` is true. It is false where something else has to happen
    /// first: the adapter is switched on, the peripheral is connected, scanned for or paired, or taken over LE instead of classic
    /// Bluetooth (Q83).
    public var isTransient: Bool {
        switch kind {
        case .busy, .timedOut, .noFreeSlot, .daemonUnavailable, .discoveryFailed: true
        case .connectFailed: !isOfWrongBearer
        case .pairingFailed("AuthenticationTimeout"), .pairingFailed("ConnectionAttemptFailed"): true
        case .attError: attCode == 0x0E || attCode == 0x11
        default: false
        }
    }

    /// Whether the operation may have taken effect although it failed; read the state before trying again (Q8).
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
    /// Whether kind, ATT code and target are equal (S85).
    public static func == (one: BluetoothError, other: BluetoothError) -> Bool {
        one.kind == other.kind && one.attCode == other.attCode && one.target == other.target
    }
}
