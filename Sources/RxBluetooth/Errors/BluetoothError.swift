/// The error of this module: what failed, its cause, the target, and what to do.
///
/// Programs compare ``kind``, never texts. For logs, ``dbusName`` and ``dbusMessage`` keep bluetoothd's own error. Two
/// errors are equal if their kinds, ATT codes and targets are equal.
///
/// ## Which operation fails with which kind
///
/// - Every operation: ``Kind/busUnavailable``, ``Kind/daemonUnavailable``, ``Kind/unauthorized``, ``Kind/noAdapter``,
///   ``Kind/poweredOff`` and ``Kind/blocked`` if Bluetooth cannot be used; ``Kind/closed`` after the manager was
///   closed; ``Kind/timedOut`` if the deadline of the operation passes, see ``Deadlines``.
/// - Operations over a connection: ``Kind/notConnected`` if there is no connection; ``Kind/disconnected(_:)`` when the
///   connection ends, with the same reason for all operations; ``Kind/attributeNotFound`` if the discovered attribute
///   is no longer valid.
/// - Reads, writes and notifications: ``Kind/notPermitted`` before anything is sent, if the properties do not offer the
///   operation; ``Kind/attError``, ``Kind/needsPairing``, ``Kind/refused``, ``Kind/invalidArgument`` or ``Kind/busy``
///   if the peripheral or bluetoothd refuses; ``Kind/exclusiveUse`` if another program has exclusive use;
///   ``Kind/connectionStalled`` if an earlier operation of the connection needed a pairing that was refused.
/// - Reading and observing values as a Swift type: ``Kind/invalidValue(_:)``.
/// - Connecting: ``Kind/connectFailed(_:)``, ``Kind/noFreeSlot``, ``Kind/bondLost`` or ``Kind/discoveryFailed``.
/// - Pairing: ``Kind/pairingFailed(_:)``. If the bond exists already, pairing succeeds.
/// - Advertising: ``Kind/noFreeSlot`` or ``Kind/registrationFailed(_:)``.
/// - L2CAP channels: ``Kind/channelRefused`` or ``Kind/channelClosed``; ``Kind/registrationFailed(_:)`` for a PSM of
///   this computer.
/// - Switching an adapter on or off, or naming it: ``Kind/blocked``, ``Kind/unauthorized`` or
///   ``Kind/invalidArgument``; it works while the adapter is off.
/// - Publishing services: ``Kind/registrationFailed(_:)`` or ``Kind/overflow``.
/// - Every operation: ``Kind/bluez`` for an error of bluetoothd that this module does not recognise.
///
/// The documentation of each operation lists further errors.
public struct BluetoothError: Error, Sendable {
    /// What went wrong.
    public let kind: Kind
    /// The operation that failed; nil for errors without an operation, for example a link loss.
    public private(set) var operation: Operation?
    /// The target of the operation as readable text: an address, an adapter or an attribute.
    public private(set) var target: String?
    /// The explanation of this module, a phrase without a full stop; nil if there is none.
    ///
    /// The explanation begins with a capital letter, or with a name or a UUID.
    /// The texts ``summary`` and ``description`` include the explanation.
    public let detail: String?
    /// The D-Bus name of the error; nil if the error is not a D-Bus error.
    ///
    /// Example: `org.bluez.Error.NotReady`.
    public let dbusName: String?
    /// The text of the D-Bus error; nil if the error is not a D-Bus error.
    public let dbusMessage: String?
    /// The ATT error code; nil if the peripheral did not send one.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.4.1.1.
    public let attCode: UInt8?
    /// Whether the device has a bond that protects the link less than the attribute requires.
    ///
    /// True only together with ``Kind/needsPairing``. ``Peripheral/pair()`` alone does not replace the weak bond,
    /// because it completes at once if a bond exists. Call ``Peripheral/forget()`` first, and pair with a
    /// ``PairingPolicy`` that can enter or compare a passkey.
    public private(set) var isBondTooWeak = false
    /// Whether a hardware switch blocks the adapter, which only that switch unblocks.
    ///
    /// True only together with ``Kind/blocked``, and only for ``BluetoothManager/setPowered(_:)``.
    public private(set) var isHardwareBlocked = false
    /// Whether the error is one of an ``AdvertisementSource``, not of bluetoothd.
    private(set) var isOfAdvertisementSource = false
    /// Whether this module inferred ``kind`` from events, because bluetoothd did not report a cause.
    private(set) var isInferred = false
    /// What is known about a refused pairing that bluetoothd did not report.
    package private(set) var pairingClue = PairingClue.none
    /// Whether the encryption key may be too short for the attribute. True only together with ``Kind/needsPairing``.
    private(set) var isKeySuspected = false
    /// Whether an attribute may require a stronger bond than the peripheral has. True only together with
    /// ``Kind/timedOut`` or ``Kind/disconnected(_:)``.
    package private(set) var mayNeedStrongerBond = false
    /// Whether the peripheral may no longer have the bond that this computer has. True only together with
    /// ``Kind/disconnected(_:)``.
    package private(set) var mayHaveLostBond = false
    /// Why there is no battery level; nil for every other error. Not nil only together with ``Kind/unsupported``.
    private(set) var missingBattery: MissingBattery?

    /// Why a peripheral has no battery level.
    enum MissingBattery: Sendable {
        /// bluetoothd reads the level itself, and hides the battery service. It has reported no level.
        case hidden
        /// There is no level.
        case absent
    }

    /// What this module has observed of a pairing when a link ended.
    package enum PairingClue: Sendable {
        /// Nothing, or the end has another cause.
        case none
        /// The operation may have needed a pairing. bluetoothd before 5.67 ends all operations alike.
        case possible
        /// The operation waited for a pairing, and the peripheral did not pair.
        case refused
        /// bluetoothd may have started a pairing by itself, to read the battery level.
        case batteryLevel
        /// A pairing was refused that no operation had started, but bluetoothd, for example for an input device, or the
        /// peripheral by a Security Request.
        case service
        /// This module was pairing the peripheral when the link ended.
        case duringPairing
    }

    /// Whether the link that was lost was not made by this manager, so that another program may have closed it.
    ///
    /// True only together with ``Kind/disconnected(_:)``. Programs that share a link lose it when the program that made
    /// it closes it. A connection with ``Reconnection`` then makes its own link.
    public private(set) var isLinkShared = false

    /// Whether a failed or refused pairing has ended the link, or may have ended it.
    ///
    /// True only together with ``Kind/disconnected(_:)``, in these cases:
    /// - A peripheral refuses to pair. An operation that needs a pairing then ends the link, and bluetoothd does not
    ///   report why. From BlueZ 5.67 on, this module finds out whether the operation needed a pairing. Before, every
    ///   operation that was running when the link ended may have needed one.
    /// - The link ends during ``Peripheral/pair()``.
    /// - The link ends while bluetoothd may be pairing by itself: it reads the battery level of each peripheral, and
    ///   pairs if the level requires it.
    public var isPairingSuspected: Bool {
        guard case .disconnected(let reason) = kind else { return false }
        return reason == .authentication || pairingClue != .none
    }

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
        /// Waiting until an adapter is on.
        case waitUntilReady
        /// Reading a state that bluetoothd reports, such as the pairing state or the MTU.
        case readState
        /// Scanning.
        case scan
        /// Listing the peripherals that bluetoothd already knows.
        case listPeripherals
        /// Connecting to a peripheral.
        case connect
        /// Closing the link to a peripheral.
        case disconnect
        /// Discovering services, characteristics or descriptors.
        case discover
        /// Reading the value of a characteristic, or the battery level.
        case read
        /// Writing the value of a characteristic.
        case write
        /// Reading the value of a descriptor.
        case readDescriptor
        /// Writing the value of a descriptor.
        case writeDescriptor
        /// Reading the RSSI of a link.
        case readRSSI
        /// Running operations of a connection without other operations in between.
        case exclusiveAccess
        /// Pairing with a device.
        case pair
        /// Marking a device as trusted or not.
        case trust
        /// Removing a device with its bond.
        case forget
        /// Turning notifications on, or receiving them.
        case notify
        /// Advertising this computer.
        case advertise
        /// Reading the facts of a link.
        case readLink
        /// Changing the timing of a link.
        case updateLink
        /// Opening an L2CAP channel to a peripheral.
        case openChannel
        /// Letting devices open L2CAP channels.
        case publishChannel
        /// Sending data over an L2CAP channel.
        case sendData
        /// Receiving data over an L2CAP channel.
        case receiveData
        /// Switching an adapter on or off.
        case setPower
        /// Changing the name of an adapter.
        case setAlias
        /// Publishing services of this computer, or sending their values.
        case publish
    }

    /// Returns the error with this operation if it has none, and with this target if it has none.
    func during(_ operation: Operation, _ target: String?) -> BluetoothError {
        with(self.operation ?? operation, self.target ?? target)
    }

    /// Returns the error with another operation and target.
    package func with(_ operation: Operation?, _ target: String?) -> BluetoothError {
        changed { error in
            error.operation = operation
            error.target = target
        }
    }

    /// The error with ``isInferred`` set.
    var inferred: BluetoothError { changed { $0.isInferred = true } }

    /// The error with ``isOfAdvertisementSource`` set.
    var ofAdvertisementSource: BluetoothError { changed { $0.isOfAdvertisementSource = true } }

    /// Returns the error with ``isLinkShared`` set or not.
    func withSharedLink(_ isShared: Bool) -> BluetoothError { changed { $0.isLinkShared = isShared } }

    /// Returns the error with ``isHardwareBlocked`` set or not.
    func withHardwareBlock(_ isHardwareBlocked: Bool) -> BluetoothError {
        changed { $0.isHardwareBlocked = isHardwareBlocked && kind == .blocked }
    }

    /// Returns the error of an operation on an attribute, with ``isBondTooWeak`` set if it requires pairing although a
    /// bond exists.
    ///
    /// If the bond cannot be made stronger, bluetoothd never answers, so this may also be the cause of a missing reply.
    package func withWeakBond(_ isBonded: Bool) -> BluetoothError {
        changed {
            $0.isBondTooWeak = isBonded && kind == .needsPairing
            $0.mayNeedStrongerBond = isBonded && kind == .timedOut
        }
    }

    /// Returns the error with another ``pairingClue``.
    ///
    /// - Parameter hasBond: Whether the device has a bond, so that pairing again does not help without removing it.
    func withPairingClue(_ clue: PairingClue, hasBond: Bool = false) -> BluetoothError {
        changed {
            $0.pairingClue = clue
            if case .disconnected = kind { $0.mayNeedStrongerBond = hasBond }
        }
    }

    /// The error of a refused pairing that bluetoothd has started by itself: for the battery level, or another service.
    var ofPairingByBluetoothd: BluetoothError { pairingClue == .batteryLevel ? self : withPairingClue(.service) }

    /// Whether bluetoothd has or may have started a pairing by itself, so that pairing the device helps.
    package var isOfPairingByBluetoothd: Bool { pairingClue == .batteryLevel || pairingClue == .service }

    /// Returns the error of a lost link with ``mayHaveLostBond`` set or not.
    func withSuspectedBondLoss(_ isSuspected: Bool) -> BluetoothError {
        changed {
            if case .disconnected = kind { $0.mayHaveLostBond = isSuspected }
        }
    }

    /// Returns the error, with ``isKeySuspected`` set or not if it requires pairing.
    func withSuspectedKey(_ isKeySuspected: Bool) -> BluetoothError {
        changed { $0.isKeySuspected = isKeySuspected && kind == .needsPairing }
    }

    /// Returns the error with another ``missingBattery``.
    func withMissingBattery(_ cause: MissingBattery) -> BluetoothError { changed { $0.missingBattery = cause } }

    private func changed(_ change: (inout BluetoothError) -> Void) -> BluetoothError {
        var error = self
        change(&error)
        return error
    }

    /// Makes an error with a more precise kind; keeps everything else that applies to this kind.
    ///
    /// - Parameters:
    ///   - kind: The more precise kind.
    ///   - error: The error with the other properties.
    init(_ kind: Kind, after error: BluetoothError) {
        self.init(
            kind, operation: error.operation, target: error.target, detail: error.detail, dbusName: error.dbusName,
            dbusMessage: error.dbusMessage, attCode: error.attCode)
        isBondTooWeak = error.isBondTooWeak && kind == .needsPairing
        isHardwareBlocked = error.isHardwareBlocked && kind == .blocked
        isInferred = error.isInferred
        isKeySuspected = error.isKeySuspected && kind == .needsPairing
        if kind == .needsPairing { pairingClue = error.pairingClue }
        if case .disconnected = kind {
            isLinkShared = error.isLinkShared
            pairingClue = error.pairingClue
            mayNeedStrongerBond = error.mayNeedStrongerBond
            mayHaveLostBond = error.mayHaveLostBond
        }
        isOfAdvertisementSource = error.isOfAdvertisementSource
        if kind == .timedOut { mayNeedStrongerBond = error.mayNeedStrongerBond }
        if kind == .unsupported { missingBattery = error.missingBattery }
    }

    /// A word for ``kind``, for logs and JSON. The words stay the same in all versions.
    public var code: String { kind.code }

    /// Whether the same operation may succeed if it is repeated soon, without any other action.
    ///
    /// True in these cases:
    /// - bluetoothd or the peripheral is busy, did not reply in time, or has no free slot.
    /// - bluetoothd does not run. The system starts it again.
    /// - Connecting over LE or reading the services failed.
    /// - A pairing timed out or could not connect.
    ///
    /// If ``outcomeUnknown`` is also true, read the state before you repeat the operation.
    ///
    /// False if another action is necessary first: for example, to switch the adapter on, to connect, to scan for the
    /// peripheral, to pair, or to connect over LE instead of classic Bluetooth.
    public var isTransient: Bool {
        switch kind {
        case .busy, .timedOut, .noFreeSlot, .daemonUnavailable, .discoveryFailed: true
        // If bluetoothd tried classic Bluetooth with the LE peripheral, the next attempt would fail too (Q83).
        case .connectFailed: !isOfWrongBearer
        case .pairingFailed("AuthenticationTimeout"), .pairingFailed("ConnectionAttemptFailed"): true
        case .attError: attCode == 0x0E || attCode == 0x11
        default: false
        }
    }

    /// Whether the operation may have taken effect although it failed.
    ///
    /// If true, read the state before you repeat the operation.
    public var outcomeUnknown: Bool {
        switch kind {
        case .timedOut: true
        case .disconnected, .daemonUnavailable, .busUnavailable, .closed:
            [.write, .writeDescriptor, .trust, .forget, .sendData].contains(operation)
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
