import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks

/// The management sockets of a simulation, as the source of a manager's advertisements.
final class SimulatedSockets: AdvertisementSource {
    private let simulation: BehaviorRelay<Simulation?>
    private let failure: BluetoothError?
    private let opened = Guarded(0)

    /// - Parameter failure: The error of each attempt to open a socket; nil if it succeeds.
    init(_ simulation: Simulation? = nil, failure: BluetoothError? = nil) {
        self.simulation = BehaviorRelay(value: simulation)
        self.failure = failure
    }

    /// The number of sockets that the manager has opened.
    var count: Int { opened.withLock { $0 } }

    /// Sets the simulation, if it is made after this object.
    func use(_ simulation: Simulation) { self.simulation.accept(simulation) }

    func open() throws(BluetoothError) -> Int32 {
        if let failure { throw failure }
        opened.withLock { $0 += 1 }
        guard let number = try? simulation.value?.bluez.openManagementSocket() else {
            throw BluetoothError(.resourceExhausted)
        }
        return number
    }
}

extension Stage {
    /// Makes a stage with a manager that scans with the management sockets of the simulation.
    static func withSockets(
        _ scenario: Scenario = .everyday, failure: BluetoothError? = nil
    ) -> (Stage, SimulatedSockets) {
        let sockets = SimulatedSockets(failure: failure)
        let stage = Stage(scenario, advertisements: sockets)
        sockets.use(stage.simulation)
        return (stage, sockets)
    }
}
