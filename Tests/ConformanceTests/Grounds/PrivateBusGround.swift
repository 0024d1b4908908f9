import BusTesting
import DBus
import Dispatch
import RxBluetoothMocks

/// The simulation on a message bus of its own.
final class PrivateBusGround: RealTimeGround {
    private let bus: RealBus
    private let simulation: ServedSimulation

    init() throws {
        bus = try RealBus()
        simulation = ServedSimulation(.lab, address: bus.address)
        let ready = DispatchSemaphore(value: 0)
        simulation.start {
            ready.signal()
        } over: { _ in
            ready.signal()
        }
        ready.wait()
    }

    deinit {
        simulation.stop()
        bus.stop()
    }

    func connect() -> any Bus { Connection.open(.address(bus.address)) }
}
