/// How a connection is made again after it was lost, and when that is given up.
///
/// While Bluetooth cannot be used, because bluetoothd, the adapter or the bus is away or off, nothing is tried, and when it
/// can again it is tried at once. Otherwise there is a pause before each attempt, which doubles with each one that failed. A
/// link that ended within ``minimumStableDuration`` counts as an attempt that failed, so that a peripheral that accepts
/// every connection and drops it does not keep the controller busy.
public struct Reconnection: Sendable {
    /// The pause before the first attempt. Default 0.25 s. Less than 10 ms counts as 10 ms.
    public var initialDelay: Duration
    /// The longest pause. Default 30 s. Less than 10 ms counts as 10 ms.
    public var maximumDelay: Duration
    /// By which part of itself a pause may be longer or shorter, from 0 to 1, so that attempts at many devices that went out of
    /// reach at once do not fall together for ever; ``maximumDelay`` is kept all the same. Default 0.2. Other
    /// values count as the nearer of 0 and 1, and what is no number as 0.
    public var jitter: Double
    /// How many attempts in a row may fail; the last one's error ends the connection. Default nil: any number. Since it takes a
    /// failure to end it, 0 and less are as 1. What Bluetooth itself does, for example to be switched off, does not count.
    public var attempts: Int?
    /// How long the peripheral may be without a link; the last error ends the connection then. Default nil: for ever. With zero and
    /// less, connecting fails with ``BluetoothError/Kind/invalidArgument``.
    public var limit: Duration?
    /// Decides the jitter, so that it is the same each time. Default nil: at random.
    public var seed: UInt64?
    /// Which errors end the connection at once. Default: ``isFinal(_:)``. What this program asked for itself, disconnecting or
    /// closing the manager, always ends it.
    public var shouldGiveUp: @Sendable (BluetoothError) -> Bool

    /// How long a link must last to count as a success: 10 s.
    public static let minimumStableDuration = Duration.seconds(10)

    /// Makes a policy.
    public init(
        initialDelay: Duration = .milliseconds(250), maximumDelay: Duration = .seconds(30), jitter: Double = 0.2,
        attempts: Int? = nil, limit: Duration? = nil, seed: UInt64? = nil,
        shouldGiveUp: @escaping @Sendable (BluetoothError) -> Bool = { Reconnection.isFinal($0) }
    ) {
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.attempts = attempts
        self.limit = limit
        self.seed = seed
        self.shouldGiveUp = shouldGiveUp
    }

    /// Whether trying again is of no use after an error: it was asked for, the bond is lost, a pairing has failed, a permission is
    /// missing, or bluetoothd does not offer it.
    ///
    /// It is not the opposite of ``BluetoothError/isTransient``, which is about the next moment, while a connection that is made again
    /// waits longer each time. A peripheral comes back into reach or an adapter is switched on. Which kind of Bluetooth bluetoothd takes
    /// depends on where it heard the peripheral last (Q83), so that is not final either. A pairing asks a person, so it is final
    /// whatever it failed with.
    ///
    /// A link that is lost while an operation waits for a pairing fails with ``BluetoothError/DisconnectReason/authentication``. That ends
    /// the connection only if bluetoothd gave the reason: otherwise the peripheral may just be out of reach.
    ///
    /// A link that ``Peripheral/pair()`` closes to pair anew is made again. A device that bluetoothd removed is looked for again: that happens to each one that was
    /// never paired when the adapter is switched off (Q32).
    public static func isFinal(_ error: BluetoothError) -> Bool {
        switch error.kind {
        case .disconnected(.requested): true
        case .disconnected(.authentication): !error.isInferred
        case .closed, .permissionDenied, .alreadyConnected, .bondLost, .notAuthorized, .pairingFailed,
            .unsupported, .invalidArgument:
            true
        default: false
        }
    }
}
