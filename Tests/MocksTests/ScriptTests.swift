import DBus
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Tests of scripted events and of changes of peripherals.
struct ScriptTests {
    private static let strap = "C0:FF:EE:00:00:01"

    private func everyday(_ events: ScriptedEvent...) -> Scenario {
        var scenario = Scenario.everyday
        scenario.script = events
        return scenario
    }

    @Test func `A scenario contains its peripherals, faults, quirks and events`() {
        let beacons = ["C0:00:00:00:00:01", "C0:00:00:00:00:02"]
        let scenario = Scenario(seed: 9) {
            for address in beacons {
                SimulatedPeripheral("Beacon", address: address) {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
                }
            }
            SimulatedAdapter(name: "gateway")
            Quirk.Q87
            Fault("StartDiscovery", calls: .only(1), .error("org.bluez.Error.NotReady"))
            at(.seconds(3)) { $0.setPower(false) }
        }
        #expect(scenario.peripherals.map(\.address) == beacons)
        #expect(scenario.adapters.map(\.name) == ["gateway"])
        #expect(scenario.quirks == [.Q87])
        #expect(scenario.seed == 9)
        let stage = Stage(scenario)
        #expect(stage.adapter("StartDiscovery") == "NotReady: ")
        #expect(stage.property(Stage.hci, "Adapter1", "Powered") == "true")
        stage.run(.seconds(3))
        #expect(stage.property(Stage.hci, "Adapter1", "Powered") == "false")
    }

    @Test func `Events run at their times, even if the daemon crashes`() {
        let stage = Stage(everyday(at(.seconds(2)) { $0.crash() }, at(.seconds(4)) { $0.start() }))
        stage.run(.milliseconds(1_980))
        #expect(stage.seen() == [])
        stage.run(.milliseconds(20))
        #expect(stage.seen() == ["owner none"])
        stage.run(.milliseconds(1_970))
        #expect(stage.seen() == [])
        stage.run(.milliseconds(40))
        #expect(stage.seen().first?.hasPrefix("owner :") == true)
        // The second start of the daemon does not run the script again.
        stage.run(.seconds(20))
        #expect(!stage.seen().contains("owner none"))
    }

    @Test func `RSSI and range of a peripheral can be changed`() {
        let stage = Stage(
            everyday(
                at(.seconds(2)) { $0.setStrength(-90, of: Self.strap) },
                at(.seconds(4)) { $0.setInRange(false, Self.strap) },
                at(.seconds(6)) { $0.setInRange(true, Self.strap) },
                at(.seconds(6)) { $0.setStrength(nil, of: Self.strap) }))
        stage.scan()
        func strengths(_ duration: Duration) -> [Int] {
            stage.client.log.clear()
            stage.run(duration)
            return stage.seen().filter { $0.hasPrefix("hci0/dev_C0_FF_EE_00_00_01 {RSSI") }.compactMap { line in
                Int(line.split(separator: " ").dropFirst(2).first?.trimmed ?? "")
            }
        }
        #expect(strengths(.milliseconds(1_900)).allSatisfy { (-62...(-54)).contains($0) })
        stage.run(.milliseconds(200))
        let far = strengths(.milliseconds(1_800))
        #expect(far.count > 10)
        #expect(far.allSatisfy { (-94...(-86)).contains($0) })
        stage.run(.milliseconds(200))
        #expect(strengths(.milliseconds(1_700)) == [])
        stage.run(.milliseconds(200))
        #expect(strengths(.seconds(1)).contains { $0 > -65 })
    }

    @Test func `A reset ends the link, restores the values and takes one second`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        let control = Stage.strap + "/service000a/char0010"
        stage.characteristic(control, "WriteValue", .bytes([9]), .properties([:]))
        #expect(stage.characteristic(control, "ReadValue", .properties([:])) == "ok <9>")
        stage.simulation.bluez.reset(Self.strap)
        stage.run(.milliseconds(500))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        stage.run(.milliseconds(200))
        #expect(stage.characteristic(control, "ReadValue", .properties([:])) == "ok <0>")
    }

    @Test(.proves(.Q111)) func `Announced services replace the old objects during a link`() throws {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.simulation.bluez.changeServices(
            of: Self.strap, to: [SimulatedService("ffe0") { SimulatedCharacteristic("ffe1", .read([5])) }])
        stage.run(.milliseconds(200))
        let seen = stage.seen()
        let gone = try #require(seen.firstIndex { $0.contains("removed hci0/dev_C0_FF_EE_00_00_01/service000a") })
        let unresolved = try #require(seen.firstIndex { $0.contains("ServicesResolved: false") })
        let new = try #require(seen.firstIndex { $0 == "added hci0/dev_C0_FF_EE_00_00_01/service000a" })
        let resolved = try #require(seen.firstIndex { $0.contains("ServicesResolved: true") })
        #expect(gone < unresolved && unresolved < new && new < resolved)
        #expect(
            stage.characteristic(Stage.strap + "/service000a/char000b", "ReadValue", .properties([:])) == "ok <5>")
    }

    @Test(.proves(.Q93)) func `Services that change without an announcement keep the old objects`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.simulation.bluez.changeServices(of: Self.strap, announced: false, to: [])
        stage.run(.seconds(1))
        #expect(stage.objects().contains("hci0/dev_C0_FF_EE_00_00_01/service000a"))
    }

    @Test(.proves(.Q62)) func `A rotated address is another device, and controls accept the old one`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        stage.simulation.bluez.rotateAddress(of: Self.strap, to: "4a:00:00:00:00:01")
        stage.run(.milliseconds(500))
        #expect(stage.objects().contains("hci0/dev_4A_00_00_00_00_01"))
        stage.run(.seconds(40))
        #expect(!stage.objects().contains("hci0/dev_C0_FF_EE_00_00_01"))
        stage.simulation.bluez.setInRange(false, Self.strap)
        stage.run(.seconds(40))
        #expect(!stage.objects().contains("hci0/dev_4A_00_00_00_00_01"))
    }

    @Test func `A link continues under the old address and can be ended`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.simulation.bluez.rotateAddress(of: Self.strap)
        stage.run(.seconds(1))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "true")
        stage.simulation.bluez.dropLink(to: Self.strap)
        stage.run(.milliseconds(1))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
    }
}

extension Substring {
    /// The text without a comma or a brace at its end.
    fileprivate var trimmed: Substring { hasSuffix(",") || hasSuffix("}") ? dropLast() : self }
}
