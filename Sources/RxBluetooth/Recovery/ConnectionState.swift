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
