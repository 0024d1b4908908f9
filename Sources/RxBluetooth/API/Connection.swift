public import Rx

/// How this program's connection to a peripheral stands. Links of other programs do not count until
/// ``Peripheral/connect(options:)`` uses them.
public enum ConnectionState: Equatable, Sendable {
    /// There is none: why the last one ended or could not be made; nil where there has been none yet.
    case disconnected(BluetoothError?)
    /// It is being made.
    case connecting
    /// It is up.
    case connected
    /// It is being closed from here.
    case disconnecting
}

/// A change of a peripheral's connection.
public struct ConnectionChange: Equatable, Sendable {
    /// Whose connection it is.
    public let peripheral: Peripheral
    /// How it stands since the change.
    public let state: ConnectionState
}

extension Peripheral {
    /// How this program's connection to the peripheral stands: the present state first, then each change (S37).
    ///
    /// Never fails and never completes: an adapter that is off is a reason to be disconnected, and no error (S6). Hot;
    /// subscribing neither connects nor opens the bus. Delivered on the manager's queue.
    public var connectionState: Observable<ConnectionState> {
        let states = connection.distinctUntilChanged()
        return scheduler.map { states.observe(on: $0) } ?? states
    }
}

extension BluetoothManager {
    /// Each change of any of this manager's connections, from the moment of subscription (S43).
    ///
    /// Never fails and never completes. Hot; subscribing neither connects nor opens the bus.
    public var connectionChanges: Observable<ConnectionChange> {
        access.connectionChanges.observe(on: access.settings.scheduler)
    }
}

/// How to connect.
public struct ConnectOptions: Sendable {
    /// What to do where the peripheral has a link already, which another program made, or this one in an earlier life (Q75).
    ///
    /// bluetoothd shows only that a device is connected, and neither by whom nor since when. A link also outlives its program: after
    /// a crash it is there until the peripheral goes or a program closes it. ``BluetoothManager/retrieveConnectedPeripherals(withServices:)``
    /// lists such links, ``Peripheral/disconnect()`` closes one without connecting first, and these options decide what `connect` does.
    public enum ExistingLink: Sendable {
        /// Use it, and leave it open in the end, since it is somebody else's (Q74).
        case share
        /// Use it as if we had made it: it is closed in the end, also under another program that uses it.
        case takeOver
        /// Close it, whoever made it, and make another one; fails where it cannot be closed. It is closed once: a link that another
        /// program makes right after is shared.
        case replace
    }

    /// What to do with a link that is there already. Default: ``ExistingLink/share``.
    public var existingLink: ExistingLink
    /// How to connect again when the link is lost; nil, the default, for not at all.
    public var reconnection: Reconnection?

    /// Makes options.
    public init(existingLink: ExistingLink = .share, reconnection: Reconnection? = nil) {
        self.existingLink = existingLink
        self.reconnection = reconnection
    }

    /// Connect again whenever the link is lost, and go on trying. See ``Reconnection``.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts in a row may fail; 0 and less are as 1. Default: any number.
    ///   - limit: How long the peripheral may be without a link, longer than zero. Default: for ever.
    public static func reconnect(attempts: Int? = nil, within limit: Duration? = nil) -> ConnectOptions {
        ConnectOptions(reconnection: Reconnection(attempts: attempts, limit: limit))
    }

    /// Connect again whenever the link is lost, as `reconnection` says.
    public static func reconnect(_ reconnection: Reconnection) -> ConnectOptions {
        ConnectOptions(reconnection: reconnection)
    }
}

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
