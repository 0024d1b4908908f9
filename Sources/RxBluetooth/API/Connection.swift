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
