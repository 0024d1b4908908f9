import DBus
import RxBluetoothMocks
import RxTest

/// The simulation on a message bus within this process.
final class LoopbackGround: VirtualTimeGround {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation

    init() { simulation = Simulation(.lab, scheduler: scheduler) }

    func connect() -> any Bus { simulation.connect() }
}
