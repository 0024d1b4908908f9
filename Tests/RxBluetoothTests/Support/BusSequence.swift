import DBus
import Rx
import RxBluetoothMocks

/// Connects to a list of simulations, one after another, and counts the connections.
final class BusSequence: Sendable {
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
