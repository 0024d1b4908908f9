import DBus
import RxBluetoothMocks
import RxTest

/// The simulation on the bus within this process. Its time passes only while the program waits.
final class LoopbackGround: Ground {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation

    init() { simulation = Simulation(.lab, scheduler: scheduler) }

    func connect() -> any Bus { simulation.connect() }

    func wait(_ limit: Duration, for bell: Bell, until isEnough: () -> Bool) {
        var left = Int(limit / .milliseconds(1))
        while !isEnough(), left > 0 {
            scheduler.advanceBy(1)
            left -= 1
        }
    }
}
