import BusTesting
import DBus
import RxBluetoothMocks
import RxTest

/// The simulation on a private dbus-daemon. The clock advances only when all messages have arrived.
final class PrivateBusGround: VirtualTimeGround {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation

    init(_ version: Version) throws {
        simulation = Simulation(
            .lab, scheduler: scheduler, bus: try VirtualTimeBus(scheduler: scheduler), bluez: version)
    }

    deinit { simulation.bus.shutDown() }

    func connect() -> any Bus { simulation.connect() }
}
