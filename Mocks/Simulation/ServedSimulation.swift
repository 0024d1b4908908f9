import DBus
import Rx

/// A simulated bluetoothd on a real message bus, in real time, for other programs.
///
/// The daemon has its own connection to the bus and acquires the name `org.bluez`. Each competing client also has its
/// own connection.
/// For tests in one process, use ``Simulation``.
public final class ServedSimulation: Sendable {
    /// The daemon, with the controls of the simulation.
    public let bluez: SimulatedBlueZ
    /// The connection that stays open while the daemon restarts, to detect the end of the bus.
    private let lifeline: Connection
    private let address: String
    private let channels = Guarded<ChannelServer?>(nil)

    /// Creates a simulation on the bus at an address, and starts to connect.
    ///
    /// The address has the format of the D-Bus specification, for example `unix:path=/run/bus`.
    /// ``SimulatedBlueZ/loseBus()`` calls `endBus`. If `endBus` is nil, `loseBus()` has no effect.
    public init(_ scenario: Scenario = .everyday, address: String, endBus: (@Sendable () -> Void)? = nil) {
        lifeline = Connection.open(.address(address))
        self.address = address
        let beginning = SuspendingClock.now
        bluez = SimulatedBlueZ(scenario, clock: { SuspendingClock.now - beginning }, endBus: endBus) {
            Connection.open(.address(address))
        }
    }

    /// Starts to serve, without blocking. Call it only once. Both closures run on the bus's thread.
    ///
    /// - Parameters:
    ///   - ready: Called once, when `org.bluez` is acquired and answers. Not called on failure.
    ///   - over: Called once at the end: with nil after ``stop()``, otherwise with the error.
    public func start(ready: @escaping @Sendable () -> Void, over: @escaping @Sendable (ServingError?) -> Void) {
        let end = end
        end.over.withLock { $0 = over }
        _ = lifeline.whenDisconnected { end.come($0) }
        bluez.start { [weak self, lifeline] error in
            if let error {
                end.come(error)
                return lifeline.close()
            }
            end.wasServing.withLock { $0 = true }
            self?.serveChannels()
            ready()
        }
    }

    private func serveChannels() {
        bluez.channels.serve(bus: address)
        channels.withLock { $0 = ChannelServer(bluez, on: lifeline, at: address) }
    }

    /// Stops serving, as bluetoothd does at shutdown. Links end, objects are removed, the name is released.
    public func stop() {
        end.isWanted.withLock { $0 = true }
        channels.withLock { $0 = nil }
        bluez.stop { [lifeline] in lifeline.close() }
    }

    private let end = EndNotifier()

    /// Calls the `over` handler of ``ServedSimulation/start(ready:over:)`` once, when the simulation ends.
    private final class EndNotifier: Sendable {
        let wasServing = Guarded(false)
        let isWanted = Guarded(false)
        let over = Guarded<(@Sendable (ServingError?) -> Void)?>(nil)

        func come(_ error: DBusError) {
            let over = over.withLock { over in
                defer { over = nil }
                return over
            }
            let isWanted = isWanted.withLock { $0 }
            over?(isWanted ? nil : ServingError(error, wasServing: wasServing.withLock { $0 }))
        }
    }
}

/// Why a ``ServedSimulation`` ended by itself.
public struct ServingError: Error, Hashable, Sendable {
    /// The kind of error.
    public enum Kind: Sendable {
        /// The text is not a valid bus address.
        case badAddress
        /// There is no bus at the address, or it does not answer.
        case noBus
        /// The bus rejects this process, or does not let it own `org.bluez`.
        case refused
        /// Another program owns the name `org.bluez` on this bus.
        case nameTaken
        /// The bus ended while the simulation was served.
        case busLost
    }

    /// The kind of error.
    public let kind: Kind
    /// The message of the bus or of libdbus; may be empty.
    public let message: String

    init(_ error: DBusError, wasServing: Bool) {
        message = error.message
        kind =
            if wasServing {
                .busLost
            } else {
                switch error.name {
                case DBusError.Name.badAddress: .badAddress
                case DBusError.Name.addressInUse: .nameTaken
                case DBusError.Name.accessDenied, DBusError.Name.authFailed: .refused
                default: .noBus
                }
            }
    }
}
