import BusTesting
import Foundation
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

/// Selects the message bus of the tests: a bus within this process, or real message buses.
///
/// The variable `RXBLUETOOTH_GROUND` with the value `private-bus` selects real buses. Both kinds run in virtual time.
/// The variable `RXBLUETOOTH_SOURCE` with the value `management` selects simulated management sockets for all scans.
enum Ground {
    static let isPrivateBus = ProcessInfo.processInfo.environment["RXBLUETOOTH_GROUND"] == "private-bus"
    static let usesPackets = ProcessInfo.processInfo.environment["RXBLUETOOTH_SOURCE"] == "management"

    /// Whether the simulated version of BlueZ, from the variable `RXBLUETOOTH_BLUEZ`, gives the reason of a lost link.
    static let signalsReasons = ProcessInfo.processInfo.environment["RXBLUETOOTH_BLUEZ"] == "5.87"

    /// Whether that version shows the bearers of a device and its pairing by cable.
    static let showsBearers = signalsReasons
    /// The text of an error of a link that the peripheral has closed.
    static let lossText = signalsReasons ? "the link was closed by the peripheral." : "the link was lost."

    /// The default delivery of managers: `RXBLUETOOTH_DELIVERY` with the value `bus` selects that in the bus context.
    static let delivery: Delivery =
        ProcessInfo.processInfo.environment["RXBLUETOOTH_DELIVERY"] == "bus" ? .inBusContext : .immediate

    static func simulation(
        _ scenario: Scenario = .everyday, scheduler: TestScheduler, starting: Bool = true
    ) -> Simulation {
        guard isPrivateBus else { return Simulation(scenario, scheduler: scheduler, starting: starting) }
        do {
            return Simulation(
                scenario, scheduler: scheduler, bus: try VirtualTimeBus(scheduler: scheduler), starting: starting)
        } catch {
            // Records an issue instead of trapping, so that only this test fails.
            Issue.record(error, "A private bus cannot be started.")
            return Simulation(scenario, scheduler: scheduler, starting: starting)
        }
    }
}

extension BluetoothError.Kind {
    /// The error for a link that ended for a reason, which is unknown with versions of BlueZ before 5.83.
    static func linkLost(_ reason: BluetoothError.DisconnectReason) -> BluetoothError.Kind {
        .disconnected(Ground.signalsReasons ? reason : .unknown)
    }
}
