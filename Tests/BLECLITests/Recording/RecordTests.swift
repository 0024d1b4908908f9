import BluetoothCaptures
import RxBluetooth
import RxBluetoothMocks
import ScenarioFiles
import TestTraits
import Testing

@testable import ble_cli

struct RecordTests {
    @Test(.proves(.S137), arguments: ["OUT.pcapng", "OUT.btsnoop"])
    func `An imported recording has the same values as the device`(_ name: String) throws {
        let file = RecordedFile()
        let harness = CommandHarness()
        let outcome = harness.run(file.verb(name, .part("heart rate"), for: .seconds(10)))
        #expect(outcome.code == .done)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.hasPrefix("ble-cli: Recorded ") == true)
        #expect(harness.calls("Disconnect") == 1)
        let (text, notes) = try RecordedFile.imported(file.bytes)
        #expect(notes.isEmpty)
        let scenario = try ScenarioFile.read(text)
        #expect(scenario.peripherals.map(\.name) == ["Heart rate strap"])
        let verb = ConnectVerb(target: .part("heart rate"))
        #expect(CommandHarness(scenario).run(verb).lines == CommandHarness().run(verb).lines)
        let updates = NotifyVerb(target: .part("heart rate"), characteristic: .uuid(0x2A37), count: 5)
        #expect(CommandHarness(scenario).run(updates).lines == CommandHarness().run(updates).lines)
    }

    @Test(.proves(.S137)) func `The scan shows the same devices for an imported recording`() throws {
        let file = RecordedFile()
        #expect(CommandHarness().run(file.verb("OUT", for: .seconds(5))).code == .done)
        let scenario = try ScenarioFile.read(try RecordedFile.imported(file.bytes).scenario)
        func scan(_ scenario: Scenario) -> [String] {
            let lines = CommandHarness(scenario).run(ScanVerb(), .limited(.seconds(3), json: true)).lines
            return lines.compactMap { line in
                // The strength and the time of an advertisement are random.
                let parts = line.split(separator: ",").filter { !$0.contains("\"rssi\"") && !$0.contains("\"time\"") }
                return parts.joined(separator: ",")
            }
            .sorted()
        }
        #expect(scan(scenario) == scan(.everyday))
        #expect(scenario.peripherals.count == 5)
        let intervals = Dictionary(
            uniqueKeysWithValues: scenario.peripherals.map { ($0.name, $0.advertisement?.interval) })
        #expect(intervals["Heart rate strap"] == .milliseconds(100))
        #expect(intervals["Door beacon"] == .milliseconds(300))
    }

    @Test(.proves(.S138), arguments: ["OUT.pcapng", "OUT.btsnoop"])
    func `After each write, the file is a valid capture with one more packet`(_ name: String) throws {
        let file = RecordedFile()
        CommandHarness().run(file.verb(name, .part("thermo"), for: .seconds(5)))
        let states = file.states
        #expect(states.count > 40)
        // The first write is the header.
        for (packets, state) in states.enumerated() {
            var reader = CaptureReader()
            reader.append(state)
            var count = 0
            while try reader.next() != nil { count += 1 }
            try reader.finish()
            #expect(count == packets)
        }
    }

    @Test func `A file without room ends the command, and keeps the packets before`() throws {
        let file = RecordedFile(room: 1000)
        let outcome = CommandHarness().run(file.verb("OUT"))
        #expect(outcome.code == .failed)
        #expect(outcome.errors.last?.contains("No space.") == true)
        #expect(try RecordedFile.imported(file.bytes).notes.isEmpty)
    }

    @Test func `A lost link is recorded, and ends the command`() throws {
        let harness = CommandHarness()
        let simulation = harness.simulation
        let file = RecordedFile()
        let outcome = harness.run(
            file.verb("OUT", .part("heart")),
            meanwhile: [(8_000, { _ in simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01") })])
        #expect(outcome.code == .failed)
        #expect(Array(file.bytes.suffix(12).prefix(7)) == [4, 0x05, 4, 0, 0x40, 0, 0x13])
    }

    @Test func `A value that cannot be read, and long values, are recorded`() throws {
        let long = (0..<300).map { UInt8($0 & 0xFF) }
        let device = SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:09", addressType: .public) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
            SimulatedConnection(mtu: 50)
            SimulatedService("6e400001-b5a3-f393-e0a9-e50e24dcca9e") {
                SimulatedCharacteristic("6e400002-b5a3-f393-e0a9-e50e24dcca9e", .read { _ in .error(0x81) })
                SimulatedCharacteristic("6e400003-b5a3-f393-e0a9-e50e24dcca9e", .read(long))
            }
            SimulatedService("ffd4", isPrimary: false) {
                SimulatedCharacteristic("ffd5", .indicate(every: .seconds(1)) { [UInt8($0 & 0xFF)] })
            }
        }
        let file = RecordedFile()
        CommandHarness(around: device).run(file.verb("OUT", .part("lock"), for: .seconds(10)))
        let text = try RecordedFile.imported(file.bytes).scenario
        #expect(text.contains("# Reading it failed with the ATT error 0x81."))
        #expect(text.contains("address-type: public"))
        let verb = ConnectVerb(target: .part("lock"))
        let original = CommandHarness(around: device).run(verb).lines.filter { !$0.contains("6E400002") }
        let imported = CommandHarness(try ScenarioFile.read(text)).run(verb).lines.filter { !$0.contains("6E400002") }
        for (imported, original) in zip(imported, original) { #expect(imported == original) }
        #expect(imported.count == original.count)
        let updates = NotifyVerb(target: .part("lock"), characteristic: .uuid(0xFFD5), count: 3)
        let (notified, replayed) = (
            CommandHarness(around: device).run(updates), CommandHarness(try ScenarioFile.read(text)).run(updates)
        )
        #expect(replayed.lines == notified.lines)
        #expect(notified.errors.isEmpty && replayed.errors.isEmpty)
    }

    @Test func `A value that needs pairing stays protected in the scenario`() throws {
        let device = SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
            SimulatedService("ffd0") { SimulatedCharacteristic("ffd3", .read([7]), protection: .encryption) }
        }
        let file = RecordedFile()
        CommandHarness(around: device).run(file.verb("OUT", .part("lock"), for: .seconds(10)))
        let text = try RecordedFile.imported(file.bytes).scenario
        #expect(text.contains("protection: encryption"))
        let verb = ReadVerb(target: .part("lock"), characteristic: .uuid(0xFFD3))
        let (original, imported) = (
            CommandHarness(around: device).run(verb), CommandHarness(try ScenarioFile.read(text)).run(verb)
        )
        #expect(imported.code == original.code)
        #expect(imported.errors == original.errors)
    }

    @Test func `Only the chosen device is recorded, with its advertisements before it was chosen`() throws {
        func device(_ name: String, _ address: String) -> SimulatedPeripheral {
            SimulatedPeripheral(name, address: address) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: name)
                SimulatedService("ffd0") { SimulatedCharacteristic("ffd1", .read([7])) }
            }
        }
        let devices = [device("Probe", "C0:FF:EE:00:00:08"), device("Probe Two", "C0:FF:EE:00:00:09")]
        let file = RecordedFile()
        let outcome = CommandHarness(Scenario(peripherals: devices))
            .run(file.verb("OUT", .part("Probe"), for: .seconds(10)))
        #expect(outcome.code == .done)
        let scenario = try ScenarioFile.read(try RecordedFile.imported(file.bytes).scenario)
        #expect(scenario.peripherals.map(\.name) == ["Probe"])
        #expect(scenario.peripherals.first?.advertisement?.interval == .milliseconds(100))
    }

    @Test func `A device that is not found leaves the file unchanged`() {
        let file = RecordedFile()
        let outcome = CommandHarness().run(file.verb("OUT", .part("nothing"), for: .seconds(5)))
        #expect(outcome.code == .notFound)
        #expect(file.bytes.isEmpty)
    }

    @Test(arguments: [nil, Target.part("thermo")])
    func `The time limit ends a recording without --for`(_ target: Target?) {
        let file = RecordedFile()
        let outcome = CommandHarness().run(file.verb("OUT", target), .limited(.seconds(6)))
        #expect(outcome.code == .done)
        #expect((5.9...6.5).contains(outcome.time ?? 0))
    }

    @Test func `The name of the file selects the format`() {
        #expect(["a.pcapng", "a", "a.log", "A.BTSNOOP"].map(RecordVerb.format) == [.pcapng, .pcapng, .snoop, .snoop])
    }
}
