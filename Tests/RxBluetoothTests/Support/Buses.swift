import DBus
import Rx
import RxBluetoothMocks

/// Hands out a connection to one simulation after the other, and counts them.
final class Buses: Sendable {
    private let simulations: [Simulation]
    private let handedOut = BehaviorRelay(value: 0)

    init(_ simulations: [Simulation]) { self.simulations = simulations }

    var count: Int { handedOut.value }

    func next() -> any Bus {
        let simulation = simulations[handedOut.value]
        handedOut.accept(handedOut.value + 1)
        return simulation.connect()
    }
}
