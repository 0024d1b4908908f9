public import Rx

/// The state of this manager's connection to a peripheral.
///
/// A link that only other programs use is not a connection of this manager. ``Peripheral/connect(options:)`` can share
/// such a link.
public enum ConnectionState: Equatable, Sendable {
    /// There is no connection. The error is why the last connection ended; nil if there was none.
    case disconnected(BluetoothError?)
    /// A connection is being made.
    case connecting
    /// The connection is established.
    case connected
    /// This manager is closing the connection.
    case disconnecting
}

extension ConnectionState: Comparable {
    /// Orders states by progress: disconnected, disconnecting, connecting, connected.
    ///
    /// Disconnected states with different errors have the same rank.
    public static func < (one: ConnectionState, other: ConnectionState) -> Bool { one.progress < other.progress }

    private var progress: Int {
        switch self {
        case .disconnected: 0
        case .disconnecting: 1
        case .connecting: 2
        case .connected: 3
        }
    }
}

extension ConnectionState: CustomStringConvertible {
    /// The state in words, for logs; a lost connection with its reason: “disconnected: the link was lost”.
    ///
    /// The text names neither the peripheral nor what to do: see ``BluetoothError/advice`` of the error.
    public var description: String {
        switch self {
        case .disconnected(let error): error.map { "disconnected: \($0.cause)" } ?? "disconnected"
        case .connecting: "connecting"
        case .connected: "connected"
        case .disconnecting: "disconnecting"
        }
    }
}

/// A change of the connection to a peripheral.
public struct ConnectionChange: Equatable, Sendable {
    /// The peripheral at the other end.
    public let peripheral: Peripheral
    /// The new state.
    public let state: ConnectionState
}

extension Peripheral {
    /// The state of this manager's connection to the peripheral.
    ///
    /// Emits the current state first, then each change, and never completes. If the adapter is switched off, the state
    /// is ``ConnectionState/disconnected(_:)`` with the reason ``BluetoothError/DisconnectReason/adapter``. Fails only
    /// if the manager was deallocated before the subscription, with ``BluetoothError/Kind/closed``; closing the manager
    /// does not end the stream. Hot; subscribing neither connects nor opens the bus. The subscription keeps the manager
    /// alive. Delivers on the manager's queue.
    public var connectionState: Observable<ConnectionState> {
        .deferred { [self] in
            guard let access = present else { throw BluetoothError(.closed) }
            return access.keptAlive(
                by: connection.distinctUntilChanged().observe(on: access.settings.scheduler))
        }
    }
}

extension BluetoothManager {
    /// The changes of all connections of this manager.
    ///
    /// Emits each change after the subscription. Never completes and never fails, also if the manager is closed. Hot;
    /// subscribing neither connects nor opens the bus. The subscription keeps the manager alive. Delivers on the
    /// manager's queue.
    public var connectionChanges: Observable<ConnectionChange> {
        access.keptAlive(by: access.connectionChanges.observe(on: access.settings.scheduler))
    }
}

/// The options of ``Peripheral/connect(options:)``.
public struct ConnectOptions: Sendable {
    /// What ``Peripheral/connect(options:)`` does with a link that exists already.
    ///
    /// The link may be from another program, or from this program before a restart. bluetoothd reports only that a
    /// device is connected, not since when or by which program. If a program crashes, its link remains until the
    /// peripheral or another program closes it.
    ///
    /// ``BluetoothManager/retrieveConnectedPeripherals(withServices:)`` lists the peripherals with a link.
    /// ``Peripheral/disconnect()`` closes an existing link without connecting first.
    public enum ExistingLink: Sendable {
        /// Use the link and leave it open at the end, because another program may use it.
        case share
        /// Use the link and close it at the end, even if another program uses it.
        case takeOver
        /// Close the link and make a new one. The connection fails if the link cannot be closed.
        ///
        /// The link is closed only once. If another program immediately makes a new link, that link is shared and left
        /// open at the end.
        case replace
    }

    /// What to do with an existing link. Default: ``ExistingLink/share``.
    public var existingLink: ExistingLink
    /// The policy for connecting again after link loss. Default: nil, no reconnection.
    public var reconnection: Reconnection?
    // Promise S131, see docs/promises.md.
    /// Whether the link stays open when the connection ends. Default: false, a link of this manager is closed.
    ///
    /// Disposing, closing the manager and the end of the process then leave the link to the next program, which shares
    /// it. An attempt to connect that is not finished is still cancelled. ``Peripheral/disconnect()`` of any program
    /// closes the link.
    public var keepsLinkOpen: Bool

    /// Creates options. By default, an existing link is shared, and a link loss ends the connection.
    public init(
        existingLink: ExistingLink = .share, reconnection: Reconnection? = nil, keepsLinkOpen: Bool = false
    ) {
        self.existingLink = existingLink
        self.reconnection = reconnection
        self.keepsLinkOpen = keepsLinkOpen
    }

    /// Returns options that connect again after link loss, with the default delays of ``Reconnection``.
    ///
    /// - Parameters:
    ///   - attempts: The number of consecutive failures that ends the connection; values below 1 count as 1.
    ///     Default: nil, no limit.
    ///   - limit: The longest time without a link, more than zero. Default: nil, no limit.
    public static func reconnect(attempts: Int? = nil, within limit: Duration? = nil) -> ConnectOptions {
        ConnectOptions(reconnection: Reconnection(attempts: attempts, limit: limit))
    }

    /// Returns options that connect again after each link loss, according to a policy.
    ///
    /// - Parameter reconnection: The policy: the delays, and when to give up.
    public static func reconnect(_ reconnection: Reconnection) -> ConnectOptions {
        ConnectOptions(reconnection: reconnection)
    }
}

/// The policy for connecting again after link loss: the delays, and when to give up.
///
/// The first connection starts without a delay. Each attempt to reconnect follows a delay, which doubles with each
/// consecutive failure after the first, up to ``maximumDelay``. A link that ends within ``minimumStableDuration`` also
/// counts as a failure: otherwise a peripheral that drops every link would keep the controller busy.
///
/// While the bus, bluetoothd or the adapter of the connection is not available, no attempt is made. The next attempt
/// starts as soon as that adapter can be used again. A connection never changes to another adapter: set a ``limit``,
/// and connect again, if the adapter may be replaced.
public struct Reconnection: Sendable {
    /// The delay before the first attempt to reconnect. Default: 0.25 s; minimum: 10 ms.
    public var initialDelay: Duration
    /// The longest delay before an attempt to reconnect. Default: 30 s; minimum: 10 ms.
    public var maximumDelay: Duration
    /// The largest random change of a delay, as a fraction from 0 to 1. Default: 0.2.
    ///
    /// If the links to many peripherals were lost at the same time, the changes spread the attempts. A delay never
    /// exceeds ``maximumDelay``. Values below 0 and NaN count as 0, values above 1 count as 1.
    public var jitter: Double
    /// The number of consecutive failures that ends the connection. Default: nil, no limit.
    ///
    /// The connection then fails with the last error. Values below 1 count as 1. Failures of Bluetooth itself, for
    /// example an adapter that is switched off, do not count.
    public var attempts: Int?
    /// The longest time without a link. Default: nil, no limit.
    ///
    /// When this time has passed, the connection fails with the last error. If the limit is zero or less, connecting
    /// fails with ``BluetoothError/Kind/invalidArgument``.
    public var limit: Duration?
    /// The seed of the random changes, for reproducible delays. Default: nil, random; with a scheduler in virtual time,
    /// the same in each run.
    public var seed: UInt64?
    /// Returns whether an error ends the connection without another attempt. Default: ``isFinal(_:)``.
    ///
    /// Disconnecting and closing the manager always end the connection. The closure may run on any thread.
    public var shouldGiveUp: @Sendable (BluetoothError) -> Bool

    /// The shortest duration of a link that counts as a success: 10 s.
    public static let minimumStableDuration = Duration.seconds(10)

    /// Creates a policy. The defaults are those of the properties.
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

    /// Returns whether an error is final: connecting again would not help.
    ///
    /// These errors are final: disconnection by this program, a closed manager, a lost bond, failed authentication or
    /// pairing, a missing permission, a refusal, an existing connection, an invalid argument, and a missing feature.
    /// Errors of pairing are final because another attempt could ask the user again.
    ///
    /// This function is not the opposite of ``BluetoothError/isTransient``, which is about an immediate repetition. A
    /// reconnection waits longer after each failure, so the peripheral may return, or the adapter may be switched on,
    /// before the next attempt. For example, these errors are not final:
    /// - An attempt over classic Bluetooth failed. bluetoothd uses LE when it receives an LE advertisement later.
    /// - bluetoothd removed the device, for example a device without a bond when the adapter is switched off. The
    ///   reconnection scans for the device.
    /// - ``Peripheral/pair()`` closed the link in order to pair.
    /// - The reason is ``BluetoothError/DisconnectReason/authentication``, but the library only inferred this reason
    ///   because a pairing was in progress. The peripheral may have been out of range.
    public static func isFinal(_ error: BluetoothError) -> Bool {
        switch error.kind {
        case .disconnected(.requested): true
        case .disconnected(.authentication): !error.isInferred
        case .closed, .unauthorized, .alreadyConnected, .bondLost, .refused, .pairingFailed,
            .unsupported, .invalidArgument:
            true
        default: false
        }
    }
}
