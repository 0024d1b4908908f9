import BusTesting
import Foundation
import RxBluetoothMocks
import RxTest
import Testing

/// Where the tests of this folder play: on the bus within this process, or, where the variable RXBLUETOOTH_GROUND says
/// `private-bus`, on real message buses. Both in virtual time, so that one test serves for both.
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
            // A failed test, and the other tests go on.
            Issue.record(error, "A private bus cannot be started.")
            return Simulation(scenario, scheduler: scheduler, starting: starting)
        }
    }
}
