import RxBluetooth
import RxBluetoothMocks
import ScenarioFiles
import TestTraits
import Testing

@testable import ble_cli

struct CloneTests {
    private func clone(_ target: Target, from scenario: Scenario = .everyday) throws -> Scenario {
        let outcome = CommandHarness(scenario).run(CloneVerb(target: target))
        #expect(outcome.code == .done)
        #expect(outcome.errors.isEmpty)
        return try ScenarioFile.read(outcome.lines.joined(separator: "\n"))
    }

    @Test(.proves(.S136), arguments: ["heart rate", "thermometer", "twin"])
    func `Commands print the same for a clone as for the device`(_ name: String) throws {
        let copy = try clone(.part(name))
        #expect(copy.peripherals.count == 1)
        let verb = ConnectVerb(target: .part(name))
        let original = CommandHarness().run(verb)
        let cloned = CommandHarness(copy).run(verb)
        #expect(cloned.code == .done)
        #expect(cloned.lines == original.lines)
    }

    @Test(.proves(.S136)) func `The scan shows the same advertisement for a clone as for the device`() throws {
        let keys = ["address", "addressType", "name", "txPower", "appearance", "flags", "services", "serviceData"]
        func advertised(_ scenario: Scenario) throws -> [String] {
            let lines = CommandHarness(scenario).run(ScanVerb(), .limited(.seconds(2), json: true)).lines
            let objects = lines.compactMap { ParsedJSON($0) }
            let found = try #require(objects.first { $0["name"]?.string == "Thermometer" })
            return keys.map { key in
                let value = found[key]
                let list = value?.items.compactMap(\.string).joined(separator: " ") ?? ""
                return "\(key): \(value?.string ?? value?.number.map { "\($0)" } ?? list)"
            }
        }
        let copy = try clone(.part("thermometer"))
        let (original, cloned) = (try advertised(.everyday), try advertised(copy))
        #expect(cloned == original)
        #expect(copy.peripherals.first?.advertisement?.interval == .milliseconds(250))
    }

    @Test func `An unreadable value becomes a comment, and a protected one stays protected`() throws {
        let lock = SimulatedPeripheral("Lock \u{1B}[2J\"", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock \u{1B}[2J\"")
            SimulatedService("ffd0") {
                SimulatedCharacteristic("ffd1", .read { _ in .error(0x81) })
                SimulatedCharacteristic("ffd2", .read([7]), protection: .encryption)
            }
        }
        let outcome = CommandHarness(around: lock).run(CloneVerb(target: .part("lock")))
        let text = outcome.lines.joined(separator: "\n")
        #expect(text.contains("# Not read: "))
        #expect(text.contains("protection: encryption"))
        #expect(!text.contains("\u{1B}"))
        #expect(try ScenarioFile.read(text).peripherals.first?.name == "Lock \u{1B}[2J\"")
    }

    @Test func `A device that accepts no connection gives its advertisement, with a note`() throws {
        let outcome = CommandHarness().run(CloneVerb(target: .part("beacon")))
        #expect(outcome.code == .done)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("The scenario has only the advertisement: ") == true)
        let beacon = try #require(try ScenarioFile.read(outcome.lines.joined(separator: "\n")).peripherals.first)
        #expect(beacon.advertisement?.isConnectable == false)
        #expect(beacon.advertisement?.manufacturerData.isEmpty == false)
    }

    @Test func `A device that was connected has no services of every device in its advertisement`() throws {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: .part("thermometer"), characteristic: .uuid(0x2A6E)), for: 6)
        let outcome = harness.run(CloneVerb(target: .part("thermometer")))
        #expect(outcome.code == .done)
        #expect(outcome.errors.count { $0.contains("was connected before") } == 1)
        let copy = try ScenarioFile.read(outcome.lines.joined(separator: "\n"))
        let services = try #require(copy.peripherals.first?.advertisement).services
        #expect(!services.isEmpty)
        #expect(!services.contains("1800") && !services.contains("1801"))
    }

    @Test func `With --json, a clone is one object with the scenario`() throws {
        let outcome = CommandHarness().run(CloneVerb(target: .part("thermometer")), .asJSON)
        #expect(outcome.lines.count == 1)
        let object = try #require(ParsedJSON(outcome.lines.first ?? ""))
        #expect(object["name"]?.string == "Thermometer")
        let copy = try ScenarioFile.read(try #require(object["scenario"]?.string))
        #expect(copy.peripherals.map(\.name) == ["Thermometer"])
    }

    @Test func `A device that is not there, or two that match, end the command with the reason`() {
        let missing = CommandHarness().run(CloneVerb(target: .part("nothing")), .limited(.seconds(4)))
        #expect(missing.code == .notFound)
        #expect(missing.lines.isEmpty)
        let several = CommandHarness().run(CloneVerb(target: .part("C0:FF")))
        #expect(several.code == .usage)
    }

    @Test func `Cloning an absent device prints one line`() {
        let outcome = CommandHarness().run(CloneVerb(target: .part("Nobody")), .limited(.seconds(3)))
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.count == 1, "\(outcome.errors)")
    }
}
