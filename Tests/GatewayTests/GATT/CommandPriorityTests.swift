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

    private func setup(links: Int, jobs: Int = 0, faults: [Fault] = []) -> GATTSetup {
        var scenario = Scenario(seed: 7) {
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
        scenario.faults = faults
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

    @Test func `Three links serve twelve commands without pauses, the oldest first`() {
        let delay = Fault("Device1.Disconnect", .late(.seconds(2)))
        let setup = setup(links: 3, faults: [delay])
        setup.advance(by: .seconds(10))
        let step = #"{"wait":"FFF1","within":"5s"}"#
        let steps = Array(repeating: step, count: 4).joined(separator: ",")
        for (number, address) in Self.addresses.enumerated().reversed() {
            setup.send(#"{"id":\#(number),"steps":[\#(steps)],"deadline":"100s"}"#, to: address)
            setup.advance(by: .milliseconds(10))
        }
        var seconds = 0
        while setup.results.count < Self.count, seconds < 100 {
            setup.advance(by: .seconds(1))
            seconds += 1
        }
        #expect(setup.results.count { $0.contains(#""ok":true"#) } == Self.count)
        let order = setup.results.compactMap { $0.split { !$0.isNumber }.first.flatMap { Int($0) } }
        #expect(order == (0..<Self.count).reversed(), "\(order)")
        // Four turns of about 7 s each: connecting, 4 s of work, 2 s of closing.
        #expect(seconds <= 30)
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

    /// A scheduler with connected devices whose jobs need no link until 50 s, and others that have no links.
    private func idle(links: Int, connected: Int, others: Int) -> (ConnectionScheduler, [BluetoothAddress]) {
        var settings = ConnectionScheduler.Settings()
        settings.maximumLinks = links
        var scheduler = ConnectionScheduler(settings)
        let all = (1...(connected + others)).map { BluetoothAddress(0xC0FF_EE00_0000 + UInt64($0)) }
        for (index, address) in all.enumerated() {
            scheduler.setJobs(index < connected, of: address, now: .zero)
            scheduler.setHeard(true, address, now: .zero)
            guard index < connected else { continue }
            _ = scheduler.decide(now: .seconds(index))
            scheduler.connected(address, now: .seconds(index))
            scheduler.setIdle(until: .seconds(50), address)
        }
        return (scheduler, all)
    }

    @Test func `Links without need are closed together, one for each device that waits`() {
        var (scheduler, all) = idle(links: 3, connected: 3, others: 2)
        for address in all[3...] { scheduler.setCommands(1, of: address, now: .seconds(9)) }
        #expect(scheduler.decide(now: .seconds(9)).actions == [.disconnect(all[0]), .disconnect(all[1])])
        #expect(scheduler.decide(now: .seconds(9)).actions == [])
        scheduler.ended(all[1], .closed, now: .seconds(10))
        #expect(scheduler.decide(now: .seconds(10)).actions == [.connect(all[3])])
        scheduler.ended(all[0], .closed, now: .seconds(11))
        scheduler.connected(all[3], now: .seconds(11))
        #expect(scheduler.decide(now: .seconds(11)).actions == [.connect(all[4])])
    }

    @Test func `A link without need is closed while an attempt runs`() {
        var (scheduler, all) = idle(links: 2, connected: 1, others: 2)
        scheduler.setCommands(1, of: all[1], now: .seconds(9))
        #expect(scheduler.decide(now: .seconds(9)).actions == [.connect(all[1])])
        scheduler.setCommands(1, of: all[2], now: .seconds(10))
        #expect(scheduler.decide(now: .seconds(10)).actions == [.disconnect(all[0])])
    }

    @Test func `A refusal while links close does not lower the limit by these links`() {
        var (scheduler, all) = idle(links: 4, connected: 3, others: 3)
        for address in all[3...] { scheduler.setCommands(1, of: address, now: .seconds(9)) }
        let closing: [ConnectionScheduler.Action] = [.disconnect(all[0]), .disconnect(all[1]), .connect(all[3])]
        #expect(Set(scheduler.decide(now: .seconds(9)).actions) == Set(closing))
        for address in all[0...1] { scheduler.ended(address, .closed, now: .seconds(10)) }
        scheduler.ended(all[3], .noFreeSlot, now: .seconds(10))
        #expect(scheduler.limit == 3)
    }

    @Test func `The device with the oldest command is connected first`() {
        var (scheduler, all) = idle(links: 1, connected: 0, others: 3)
        for (address, second) in zip(all, [7, 5, 6]) {
            scheduler.setCommands(1, of: address, since: .seconds(second), now: .seconds(9))
        }
        #expect(scheduler.decide(now: .seconds(9)).actions == [.connect(all[1])])
        // Commands that remain after the turn of a device wait for the commands of the others.
        scheduler.connected(all[1], now: .seconds(10))
        scheduler.ended(all[1], .closed, now: .seconds(70))
        #expect(scheduler.decide(now: .seconds(70)).actions == [.connect(all[2])])
        scheduler.ended(all[2], .failed, now: .seconds(71))
        #expect(scheduler.decide(now: .seconds(71)).actions == [.connect(all[0])])
    }
}
