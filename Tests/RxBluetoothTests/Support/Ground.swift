import BusTesting
import Foundation
import RxBluetoothMocks
import RxTest
import Testing

/// Selects the message bus of the tests: a bus within this process, or real message buses.
///
/// The variable `RXBLUETOOTH_GROUND` with the value `private-bus` selects real buses. Both run in virtual time.
enum Ground {
    static let isPrivateBus = ProcessInfo.processInfo.environment["RXBLUETOOTH_GROUND"] == "private-bus"

    static func simulation(
        _ scenario: Scenario = .everyday, scheduler: TestScheduler, starting: Bool = true
    ) -> Simulation {
        guard isPrivateBus else { return Simulation(scenario, scheduler: scheduler, starting: starting) }
        do {
            return Simulation(
                scenario, scheduler: scheduler, bus: try VirtualTimeBus(scheduler: scheduler), starting: starting)
        } catch {
            // The test fails, and the other tests continue.
            Issue.record(error, "A private bus cannot be started.")
            return Simulation(scenario, scheduler: scheduler, starting: starting)
        }
    }
}
