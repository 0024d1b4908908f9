import DBus
import RxBluetoothMocks
import RxTest

/// The simulation on a message bus within this process.
final class LoopbackGround: VirtualTimeGround {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation

    init(_ version: Version) { simulation = Simulation(.lab, scheduler: scheduler, bluez: version) }

    func connect() -> any Bus { simulation.connect() }
}
