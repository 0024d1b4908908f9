import Rx
import RxBluetoothMocks
import RxTest
import Synchronization
import Testing

/// Mistakes in calls of the controls, which a test reports as its failures.
struct SimulationMistakeTests {
    private let simulation = Simulation(.everyday, scheduler: TestScheduler(initialClock: 0, resolution: 0.001))
    private let mistakes = Mistakes()

    private final class Mistakes: Sendable {
        private let all = Mutex<[SimulationMistake]>([])
        func add(_ mistake: SimulationMistake) { all.withLock { $0.append(mistake) } }
        var taken: [SimulationMistake] { all.withLock { $0 } }
    }

    init() { simulation.bluez.reportMistakes { [mistakes] in mistakes.add($0) } }

    @Test func `A wrong address is reported with file and line, and the process continues`() {
        let line = #line + 1
        simulation.bluez.dropLink(to: "C0:00:00:00:00:99")
        let mistake = mistakes.taken.first
        #expect(mistake?.description == "No peripheral of this simulation has the address “C0:00:00:00:00:99”.")
        #expect(mistake?.fileID == #fileID && mistake?.line == line)
    }

    @Test func `Each control with a wrong name is reported, and has no effect`() {
        let bluez = simulation.bluez
        let wrong = "C0:00:00:00:00:99"
        bluez.setStrength(-50, of: wrong)
        bluez.setInRange(false, wrong)
        bluez.advertise(nil, from: wrong)
        bluez.setConnection(SimulatedConnection(), of: wrong)
        bluez.loseBond(of: wrong)
        bluez.notify([1], from: wrong, "2a37")
        bluez.setValue([1], of: "C0:FF:EE:00:00:01", "2a6e")
        bluez.setValue([1], of: "C0:FF:EE:00:00:01", "heart")
        bluez.changeServices(of: wrong, to: [])
        bluez.rotateAddress(of: wrong)
        bluez.rotateAddress(of: "C0:FF:EE:00:00:01", to: "nonsense")
        bluez.serveChannel(.echo(), psm: 128, of: wrong)
        bluez.openChannel(.echo(), from: wrong, psm: 128)
        bluez.reset(wrong)
        #expect(mistakes.taken.count == 14)
        #expect(Set(mistakes.taken.map(\.line)).count == 14)
    }

    @Test func `Mistakes in a scenario are reported, and leave peripherals out`() {
        let scenario = Scenario {
            SimulatedPeripheral("Strap", address: "C0:FF:EE:00:00:01") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50)
                SimulatedService("180d") { SimulatedCharacteristic("2a37", .notify) }
            }
            SimulatedPeripheral("Twin", address: "C0:FF:EE:00:00:01")
            SimulatedPeripheral("Odd", address: "nonsense")
            SimulatedPeripheral("Wrong", address: "C0:FF:EE:00:00:02") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, services: ["heart"])
            }
            at(.seconds(1)) { $0.dropLink(to: "C0:FF:EE:00:00:02") }
        }
        let (scheduler, found) = (TestScheduler(initialClock: 0, resolution: 0.001), Mistakes())
        let line = #line + 1
        let simulation = Simulation(scenario, scheduler: scheduler, mistakes: { found.add($0) })
        #expect(
            found.taken.map(\.description) == [
                "Two peripherals have the address C0:FF:EE:00:00:01.",
                "“Odd” (NONSENSE): this is not a Bluetooth address.",
                "“Wrong” (C0:FF:EE:00:00:02): “heart” is not a UUID.",
            ])
        #expect(found.taken.allSatisfy { $0.fileID == #fileID && $0.line == line })
        // The script finds out that the peripheral was left out. The first peripheral works.
        scheduler.advanceTo(2_000)
        simulation.bluez.setValue([1], of: "C0:FF:EE:00:00:01", "2a37")
        #expect(found.taken.count == 4)
        #expect(found.taken.last?.description.contains("has the address “C0:FF:EE:00:00:02”") == true)
    }

    @Test func `By default, a mistake is an issue of the test at the line of the call`() {
        let simulation = Simulation(.everyday, scheduler: TestScheduler(initialClock: 0, resolution: 0.001))
        let line = #line + 2
        withKnownIssue {
            simulation.bluez.dropLink(to: "C0:00:00:00:00:99")
        } matching: { issue in
            issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
                && issue.comments.first?.rawValue.contains("has the address “C0:00:00:00:00:99”") == true
        }
    }

    @Test func `By default, mistakes in descriptions are issues, and the simulation runs`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        var advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -50)
        withKnownIssue {
            advertisement = SimulatedAdvertisement(
                .ruuvi(temperature: 10_000), every: .milliseconds(100), rssi: -50, connectable: true)
        }
        withKnownIssue {
            advertisement = SimulatedAdvertisement(
                .values(every: .seconds(1)), every: .milliseconds(100), rssi: -50, connectable: true)
        }
        var pairing = SimulatedPairing()
        withKnownIssue { pairing = SimulatedPairing(.passkeyShown(1_000_000)) }
        var simulation: Simulation?
        withKnownIssue {
            simulation = Simulation(
                Scenario {
                    SimulatedPeripheral("Strap", address: "C0:FF:EE:00:00:01") {
                        advertisement
                        pairing
                    }
                    SimulatedPeripheral("Odd", address: "nonsense")
                }, scheduler: scheduler)
        }
        withKnownIssue { _ = simulation?.bluez.connectCentral(mtu: 600) }
        simulation?.bluez.competingClient().startDiscovery()
        scheduler.advanceTo(1_000)
        #expect((simulation?.bluez.advertisementsSent ?? 0) > 5)
    }

    @Test func `A second address and a wrong UUID are reported, and have no effect`() {
        let bluez = simulation.bluez
        let strap = "C0:FF:EE:00:00:01"
        bluez.add(Scenario.everyday.peripherals[0])
        bluez.add(SimulatedPeripheral("Odd", address: "nonsense"))
        bluez.rotateAddress(of: strap, to: "C0:FF:EE:00:00:02")
        bluez.advertise(SimulatedAdvertisement(every: .seconds(1), rssi: -50, services: ["heart"]), from: strap)
        bluez.changeServices(of: strap, to: [SimulatedService("heart") { SimulatedCharacteristic("2a19", .read([1])) }])
        #expect(
            mistakes.taken.map(\.description) == [
                "Two peripherals have the address C0:FF:EE:00:00:01.",
                "“Odd” (NONSENSE): this is not a Bluetooth address.",
                "Two peripherals have the address C0:FF:EE:00:00:02.", "“heart” is not a UUID.",
                "“Heart rate strap” (C0:FF:EE:00:00:01): “heart” is not a UUID.",
            ])
        // The services are those of the scenario.
        bluez.setValue([1], of: strap, "2a37")
        #expect(mistakes.taken.count == 5)
    }
}
