import Gateway
import RxBluetooth
import RxBluetoothMocks
import Testing

/// Twenty devices with notifications through one adapter.
@Suite struct ManyDevicesTests {
    private static let count = 20

    private static func address(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "C0:FF:EE:00:01:\(digits.utf8.count < 2 ? "0" : "")\(digits)"
    }

    private static let addresses = (1...count).map(address)

    private func scenario(_ sent: SentValues, _ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
        var scenario = Scenario(seed: 7) {
            for (index, address) in Self.addresses.enumerated() {
                SimulatedPeripheral("Sensor \(index)", address: address) {
                    SimulatedAdvertisement(every: .milliseconds(500), rssi: -60, jitter: 4, services: ["fff0"])
                    SimulatedService("fff0") {
                        SimulatedCharacteristic("fff1", .notify(every: .seconds(1)) { _ in sent.next(address) })
                        SimulatedCharacteristic("fff2", .read([1, 2]))
                    }
                }
            }
        }
        change(&scenario)
        return scenario
    }

    private var devices: [DeviceSettings] {
        Self.addresses.compactMap(BluetoothAddress.init).map {
            DeviceSettings($0, [GATTJob(.notify, of: "FFF1"), GATTJob(.read(every: .seconds(60)), of: "FFF2")])
        }
    }

    private func check(_ setup: GATTSetup, _ sent: SentValues, lossesPerLink: Int) {
        for text in Self.addresses {
            guard let address = BluetoothAddress(text) else { continue }
            let numbers = setup.values(of: address).filter { $0.characteristic == "FFF1" }
                .map { SentValues.number($0.bytes) }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "a value twice, or in another order")
            let links = setup.states(of: address).count { $0 == .connected }
            let lost = sent.count(text) - numbers.count
            // The last value may still be on its way.
            #expect(
                lost <= links * lossesPerLink + 1, "\(text): \(numbers.count) of \(sent.count(text)), \(links) links")
            #expect(numbers.count > 0 && links > 0, "\(text) starves")
        }
        #expect(!setup.failures.contains { $0.kind == "busy" || $0.text.contains("InProgress") }, "\(setup.failures)")
    }

    @Test func `Without faults every value is emitted`() {
        let sent = SentValues()
        let setup = GATTSetup(scenario(sent), devices)
        setup.advance(by: .seconds(600))
        check(setup, sent, lossesPerLink: 0)
        #expect(setup.failures.isEmpty, "\(setup.failures)")
        #expect(setup.central.links.count == Self.count)
        // Each read is due once a minute, from its first link on.
        let reads = setup.events.count {
            if case .value(let value) = $0.content { value.characteristic == "FFF2" } else { false }
        }
        #expect(reads == Self.count * 10)
        #expect(setup.simulation.recorder.count("Device1.Connect") == Self.count)
    }

    @Test func `Lost links and a restart of bluetoothd lose only values of links that end`() {
        let sent = SentValues()
        let setup = GATTSetup(
            scenario(sent) { scenario in
                scenario.quirks = [.Q22, .Q94, .Q77, .Q102, .Q76]
                for second in stride(from: 20, to: 900, by: 7) {
                    let address = Self.addresses[second * 13 % Self.count]
                    scenario.script.append(at(.seconds(second)) { $0.dropLink(to: address, reason: .timeout) })
                }
                scenario.script.append(at(.seconds(300)) { $0.crash() })
                scenario.script.append(at(.seconds(305)) { $0.start() })
                scenario.script.append(at(.seconds(600)) { $0.setPower(false) })
                scenario.script.append(at(.seconds(620)) { $0.setPower(true) })
            }, devices)
        setup.advance(by: .seconds(1000))
        check(setup, sent, lossesPerLink: 2)
        #expect(setup.central.links.count == Self.count)
    }

    @Test func `With five links all devices take turns`() {
        let sent = SentValues()
        let setup = GATTSetup(scenario(sent) { $0.quirks = [.Q81, .Q94] }, devices)
        setup.advance(by: .seconds(1800))
        check(setup, sent, lossesPerLink: 2)
        #expect(setup.central.links.limit <= 6)
        // Twenty devices with five links: a turn each 4 × (30 s + connecting).
        let turns = Self.addresses.compactMap(BluetoothAddress.init)
            .map { address in setup.states(of: address).count { $0 == .connected } }
        #expect((turns.min() ?? 0) >= 8 && (turns.max() ?? 0) - (turns.min() ?? 0) <= 3, "\(turns)")
    }
}
