import DBus
import Rx

/// A simulated bluetoothd on a real message bus, in real time: programs of other people use it as they use BlueZ's.
///
/// The daemon has a connection of its own to the bus and takes the name `org.bluez` there; each rival has one as well.
/// ``Simulation`` is the one for tests within one process.
public final class ServedSimulation: Sendable {
    /// The daemon, with the controls of everything that can happen to it and around it.
    public let bluez: SimulatedBlueZ
    /// Stays on the bus while the daemon dies and comes back, and so tells the end of the bus from that of the daemon.
    private let lifeline: Connection

    /// Makes a simulation that does not run yet, on the bus at an address as the D-Bus specification writes it
    /// ("Server Addresses"). Begins to connect at once. `endBus` is what ``SimulatedBlueZ/loseBus()`` does; without it
    /// the bus stays, for it is somebody else's.
    public init(_ scenario: Scenario = .everyday, address: String, endBus: (@Sendable () -> Void)? = nil) {
        lifeline = Connection.open(.address(address))
        let beginning = SuspendingClock.now
        bluez = SimulatedBlueZ(scenario, clock: { SuspendingClock.now - beginning }, endBus: endBus) {
            Connection.open(.address(address))
        }
    }

    /// Starts to serve; to be called once. Never blocks. Both closures run on the bus's thread.
    ///
    /// - Parameters:
    ///   - ready: Called once, when `org.bluez` is ours and answers. Not called where that does not come about.
    ///   - over: Called once, when it has ended: with nil after ``stop()``, else with why it could not begin or go on.
    public func start(ready: @escaping @Sendable () -> Void, over: @escaping @Sendable (ServingError?) -> Void) {
        let end = end
        end.over.withLock { $0 = over }
        _ = lifeline.whenDisconnected { end.come($0) }
        bluez.start { [lifeline] error in
            if let error {
                end.come(error)
                return lifeline.close()
            }
            end.wasServing.withLock { $0 = true }
            ready()
        }
    }

    /// Stops to serve, as bluetoothd does on a shutdown: links end, objects are taken away with signals, then the name goes.
    public func stop() {
        end.isWanted.withLock { $0 = true }
        bluez.stop { [lifeline] in lifeline.close() }
    }

    private let end = EndNotifier()

    /// The end, which comes once.
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
    /// What kind of thing happened.
    public enum Kind: Sendable {
        /// The text is not the address of a bus.
        case badAddress
        /// There is no bus at the address, or it does not answer.
        case noBus
        /// The bus does not let this process in, or does not let it have the name `org.bluez`.
        case refused
        /// Another program has the name `org.bluez` there.
        case nameTaken
        /// The bus went away while it was served.
        case busLost
    }

    /// What kind of thing happened.
    public let kind: Kind
    /// What the bus or libdbus says of it; may be empty.
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
