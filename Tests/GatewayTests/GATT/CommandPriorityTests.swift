import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Commands to devices that wait for a link which jobs of other devices use.
@Suite struct CommandPriorityTests {
    private static let count = 12

    private static func address(_ number: Int) -> String {
        "C0:FF:EE:00:02:\(number < 10 ? "0" : "")\(number)"
    }

    private static let addresses = (1...count).compactMap { BluetoothAddress(address($0)) }

    private func setup(links: Int, jobs: Int = 0) -> GATTSetup {
        let scenario = Scenario(seed: 7) {
            for number in 1...Self.count {
                SimulatedPeripheral("Sensor \(number)", address: Self.address(number)) {
                    SimulatedAdvertisement(every: .milliseconds(500), rssi: -60, services: ["fff0"])
                    SimulatedService("fff0") {
                        SimulatedCharacteristic("fff1", .notify(every: .seconds(1)) { _ in [1] })
                        SimulatedCharacteristic("fff2", .read([1, 2]))
                    }
                }
            }
        }
        let devices = Self.addresses.enumerated().map { index, address in
            DeviceSettings(address, index < jobs ? [GATTJob(.notify, of: "FFF1")] : [])
        }
        var settings = GATTCentral.Settings()
        settings.maximumLinks = links
        return GATTSetup(scenario, devices, settings: settings)
    }

    @Test func `Commands in quick succession all succeed beside a job on the only link`() {
        let setup = setup(links: 1, jobs: 1)
        setup.advance(by: .seconds(10))
        var waits: [Int] = []
        for number in 0..<10 {
            setup.send(#"{"id":\#(number),"read":"FFF2"}"#, to: Self.addresses[1])
            var wait = 0
            while setup.results.count <= number, wait < 40 {
                setup.advance(by: .seconds(1))
                wait += 1
            }
            waits.append(wait)
            setup.advance(by: .seconds(4))
        }
        #expect(setup.results.count { $0.contains(#""ok":true"#) } == 10, "\(setup.results)")
        #expect((waits.max() ?? 0) <= 15, "\(waits)")
        // The job has its link most of the time.
        let duration = waits.reduce(0) { $0 + $1 + 4 }
        #expect(setup.values(of: Self.addresses[0]).count > duration / 2, "in \(duration) s")
    }
}

/// The same decisions without Bluetooth.
@Suite struct CommandTurnTests {
    private let a: BluetoothAddress = "C0:FF:EE:00:00:01"
    private let b: BluetoothAddress = "C0:FF:EE:00:00:02"

    /// A scheduler with one link, which `a` got again for its job after a command to `b` had taken it.
    private func preempted() -> ConnectionScheduler {
        var settings = ConnectionScheduler.Settings()
        settings.maximumLinks = 1
        var scheduler = ConnectionScheduler(settings)
        scheduler.setJobs(true, of: a, now: .zero)
        for address in [a, b] { scheduler.setHeard(true, address, now: .zero) }
        _ = scheduler.decide(now: .zero)
        scheduler.connected(a, now: .zero)
        scheduler.setCommands(1, of: b, now: .seconds(1))
        #expect(scheduler.decide(now: .seconds(3)).actions == [.disconnect(a)])
        scheduler.ended(a, .closed, now: .seconds(3))
        _ = scheduler.decide(now: .seconds(3))
        scheduler.connected(b, now: .seconds(4))
        scheduler.setCommands(0, of: b, now: .seconds(5))
        #expect(scheduler.decide(now: .seconds(5)).actions == [.disconnect(b)])
        scheduler.ended(b, .closed, now: .seconds(5))
        #expect(scheduler.decide(now: .seconds(5)).actions == [.connect(a)])
        scheduler.connected(a, now: .seconds(6))
        return scheduler
    }

    @Test func `A job that lost its link to a command keeps the next one for ten seconds`() {
        var scheduler = preempted()
        scheduler.setCommands(1, of: b, now: .seconds(7))
        let decision = scheduler.decide(now: .seconds(7))
        #expect(decision.actions == [] && decision.wake == .seconds(16))
        #expect(scheduler.decide(now: .seconds(16)).actions == [.disconnect(a)])
    }

    @Test func `A job gives way earlier if the deadline of the command is near`() {
        var scheduler = preempted()
        scheduler.setCommands(1, of: b, deadline: .seconds(22), now: .seconds(7))
        #expect(scheduler.decide(now: .seconds(7)).wake == .seconds(12))
        scheduler.setCommands(1, of: b, deadline: .seconds(13), now: .seconds(7))
        let decision = scheduler.decide(now: .seconds(7))
        #expect(decision.actions == [] && decision.wake == .seconds(9))
        #expect(scheduler.decide(now: .seconds(9)).actions == [.disconnect(a)])
    }
}
