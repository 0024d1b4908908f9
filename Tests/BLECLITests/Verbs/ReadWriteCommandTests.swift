import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The verbs `read` and `write`.
struct ReadWriteCommandTests {
    private let strap = Target.address("C0:FF:EE:00:00:01")
    private let twins = Target.address("C0:FF:EE:00:00:05")

    @Test func `Read prints a value in hexadecimal, followed by its known meaning`() {
        #expect(CommandHarness().run(ReadVerb(target: strap, characteristic: .uuid(0x2A19))).lines == ["57  87 %"])
        #expect(CommandHarness().run(ReadVerb(target: strap, characteristic: .uuid(0x2A39))).lines == ["00  0"])
    }

    @Test func `A hidden battery service is read, observed and listed`() {
        var scenario = Scenario.everyday
        scenario.features = [.hiddenBattery]
        let harness = CommandHarness(scenario)
        #expect(harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19))).lines == ["57  87 %"])
        let notified = harness.run(NotifyVerb(target: strap, characteristics: [.uuid(0x2A19)], count: 1))
        #expect(notified.code == .done && notified.lines.count == 1, "\(notified)")
        let tree = harness.run(ConnectVerb(target: strap))
        let level = tree.lines.first { $0.contains("2A19 Battery Level") }
        #expect(level?.hasSuffix("= 57  87 %") == true, "\(tree.lines)")
    }

    @Test(arguments: SimulatedBlueZ.Version.allCases)
    func `A battery service that is only advertised is not listed or awaited`(version: SimulatedBlueZ.Version) {
        let tag = SimulatedPeripheral("Tag", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Tag", services: ["180f"])
            SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([1])) }
        }
        var scenario = Scenario(peripherals: [tag])
        scenario.bluez = version
        let harness = CommandHarness(scenario)
        let tree = harness.run(ConnectVerb(target: .part("Tag")))
        #expect(tree.code == .done && tree.lines.contains { $0.contains("FFF1") }, "\(tree.lines + tree.errors)")
        #expect(!tree.lines.contains { $0.contains("180F") } && (tree.time ?? 99) < 10, "\(tree.lines)")
        let read = harness.run(ReadVerb(target: .part("Tag"), characteristic: .uuid(0x2A19)))
        #expect(read.code == .notFound && (read.time ?? 99) < 10, "\(read.errors)")
    }

    @Test(arguments: SimulatedBlueZ.Version.allCases)
    func `Read names the service that bluetoothd keeps to itself`(version: SimulatedBlueZ.Version) throws {
        let mouse = SimulatedPeripheral("Mouse", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Mouse", services: ["1812"])
            SimulatedService("1812") { SimulatedCharacteristic("2a4b", .read([1])) }
        }
        var scenario = Scenario(peripherals: [mouse])
        scenario.bluez = version
        let harness = CommandHarness(scenario)
        func read(_ text: String) throws -> CommandHarness.Outcome {
            harness.run(ReadVerb(target: .part("Mouse"), characteristic: try CharacteristicArgument(parsing: text)))
        }
        let expected = [
            ("2A4B", "2A4B: bluetoothd keeps the HID service (1812)"),
            ("port map", "“port map”: bluetoothd keeps the HID service (1812)"),
            ("2A00", "2A00: bluetoothd keeps the GAP service (1800)"),
        ]
        for (argument, text) in expected {
            let outcome = try read(argument)
            guard version == .v5_66 else {
                #expect(outcome.code == .done, "\(outcome.errors)")
                continue
            }
            #expect(outcome.code == .notFound)
            #expect(outcome.errors.first?.contains("has no characteristic \(text)") == true, "\(outcome.errors)")
        }
        let missing = try read("2A6E")
        #expect(missing.code == .notFound && missing.errors.first?.contains("bluetoothd keeps") == false)
    }

    @Test func `Read prints a value as JSON`() throws {
        let outcome = CommandHarness().run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), .asJSON)
        let object = try #require(ParsedJSON(outcome.lines.first ?? ""))
        #expect(
            object.keys == [
                "time", "adapter", "address", "name", "service", "serviceName", "characteristic", "characteristicName",
                "descriptor", "handle", "value", "decoded", "formatted",
            ])
        #expect(object["name"]?.string == "Heart rate strap")
        #expect(object["service"]?.string == "180F")
        #expect(object["serviceName"]?.string == "Battery Service")
        #expect(object["characteristicName"]?.string == "Battery Level")
        #expect(object["decoded"]?["number"]?.number == 87)
        #expect(object["decoded"]?["text"]?.string == "87 %")
        #expect(object["decoded"]?["unit"]?.string == "%")
        #expect(object["value"]?.string == "57")
        #expect(object["characteristic"]?.string == "2A19")
        #expect(object["address"]?.string == "C0:FF:EE:00:00:01")
        #expect(object["time"]?.string?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
    }

    @Test func `Write prints nothing, and the value can be read again`() {
        let harness = CommandHarness()
        let written = harness.run(WriteVerb(target: strap, characteristic: .uuid(0x2A39), value: [0x2A]))
        #expect(written.code == .done)
        #expect(written.lines.isEmpty)
        #expect(written.errors.isEmpty)
        #expect(harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A39))).lines == ["2a  42"])
        harness.run(WriteVerb(target: strap, characteristic: .uuid(0x2A39), value: [0x2B], type: .withoutResponse))
        #expect(harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A39))).lines == ["2b  43"])
        #expect(harness.calls("Connect") == 4)
        #expect(harness.calls("Disconnect") == 4)
    }

    @Test func `Write prints a JSON object with --json`() throws {
        let verb = WriteVerb(target: strap, characteristic: .uuid(0x2A39), value: [0x2A, 0xFF], type: .withoutResponse)
        let object = try #require(ParsedJSON(CommandHarness().run(verb, .asJSON).lines.first ?? ""))
        #expect(object["value"]?.string == "2aff")
        #expect(object["response"]?.bool == false)
    }

    @Test func `A handle names a descriptor for read and write`() throws {
        let description = SimulatedDescriptor("2901", Array("Room".utf8), writable: true)
        let device = SimulatedPeripheral("Lamp", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp")
            SimulatedService("ffd0") {
                SimulatedCharacteristic("ffd1", .read([7]), descriptors: [description])
            }
        }
        let harness = CommandHarness(around: device)
        let lamp = Target.part("lamp")
        let lines = harness.run(ConnectVerb(target: lamp)).lines
        let line = try #require(lines.first { $0.contains("2901") })
        let text = try #require(line.split(separator: " ").first { $0.hasPrefix("@") })
        let handle = try CharacteristicArgument(parsing: String(text))
        let value = harness.run(ReadVerb(target: lamp, characteristics: [.uuid(0xFFD1), handle])).lines
        #expect(value.last?.hasPrefix("2901 \(text)  526f6f6d") == true)
        let written = harness.run(WriteVerb(target: lamp, characteristic: handle, value: [0x41]), .asJSON)
        let object = ParsedJSON(written.lines.first ?? written.errors.first ?? "")
        #expect(try JSONSchema().violations(of: written.lines.first ?? "", as: "write") == [], "\(written.errors)")
        #expect(object?["descriptor"]?.string == "2901")
        #expect(object?["characteristic"]?.string == "FFD1")
        let refused = harness.run(
            WriteVerb(target: lamp, characteristic: handle, value: [0x41], type: .withoutResponse))
        #expect(refused.code == .usage)
        let missing = harness.run(ReadVerb(target: lamp, characteristic: .handle(0x0FFF)))
        #expect(missing.code == .notFound)
        #expect(missing.errors.first?.contains(text) == true, "\(missing.errors)")
    }

    @Test func `Writing the descriptor that switches notifications fails with a hint to notify`() throws {
        let harness = CommandHarness()
        let line = try #require(harness.run(ConnectVerb(target: strap)).lines.first { $0.contains("2902") })
        let text = try #require(line.split(separator: " ").first { $0.hasPrefix("@") })
        let handle = try CharacteristicArgument(parsing: String(text))
        let outcome = harness.run(WriteVerb(target: strap, characteristic: handle, value: [1, 0]))
        #expect(outcome.code == .failed && outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("ble-cli notify") == true, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("observeValueUpdates") == false)
    }

    @Test func `An ambiguous UUID fails with a list of the handles in one line`() {
        let outcome = CommandHarness().run(ReadVerb(target: twins, characteristic: .uuid(0xFFD1)))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("@000b (service FFD0), @000e (service FFD0)") == true)
        #expect(CommandHarness().run(ReadVerb(target: twins, characteristic: .handle(0x000B))).lines == ["0b  11"])
        #expect(CommandHarness().run(ReadVerb(target: twins, characteristic: .handle(0x000E))).lines == ["16  22"])
    }

    @Test(arguments: [CharacteristicArgument.uuid(0x2A6E), .handle(0x1234)])
    func `A missing characteristic is not found, and the present ones are listed`(
        characteristic: CharacteristicArgument
    ) {
        let outcome = CommandHarness().run(ReadVerb(target: twins, characteristic: characteristic))
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("It has") == true)
    }

    @Test func `An operation that the characteristic does not support fails`() {
        #expect(CommandHarness().run(ReadVerb(target: strap, characteristic: .uuid(0x2A05))).code == .failed)
        #expect(
            CommandHarness().run(WriteVerb(target: twins, characteristic: .handle(0x000B), value: [1])).code == .failed)
        #expect(CommandHarness().run(NotifyVerb(target: twins, characteristic: .handle(0x000B))).code == .failed)
    }

    /// Returns a simulation of a lamp with one characteristic of this kind.
    private func lamp(_ parts: SimulatedCharacteristic) -> CommandHarness {
        CommandHarness(
            around: SimulatedPeripheral("Lamp", address: "C0:FF:EE:00:00:09") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp")
                SimulatedService("ffe0") { parts }
            })
    }

    private let lamp = Target.part("lamp")

    @Test func `Writes without a response if the characteristic supports nothing else`() throws {
        let harness = lamp(SimulatedCharacteristic("ffe1", .read([0]), .writeWithoutResponse))
        let written = harness.run(WriteVerb(target: lamp, characteristic: .uuid(0xFFE1), value: [7]), .asJSON)
        #expect(written.code == .done, "\(written.errors)")
        #expect(try #require(ParsedJSON(written.lines.first ?? ""))["response"]?.bool == false)
        #expect(harness.run(ReadVerb(target: lamp, characteristic: .uuid(0xFFE1))).lines == ["07  7"])
    }

    @Test func `Writes with a response if the characteristic supports both types`() throws {
        let both = CommandHarness().run(WriteVerb(target: strap, characteristic: .uuid(0x2A39), value: [7]), .asJSON)
        #expect(try #require(ParsedJSON(both.lines.first ?? ""))["response"]?.bool == true)
    }

    @Test func `An explicit write type is used even if it is not supported`() {
        let harness = lamp(SimulatedCharacteristic("ffe1", .writeWithoutResponse))
        let outcome = harness.run(
            WriteVerb(target: lamp, characteristic: .uuid(0xFFE1), value: [7], type: .withResponse))
        #expect(outcome.code == .failed)
        let confirmed = lamp(SimulatedCharacteristic("ffe1", .write))
        let command = WriteVerb(target: lamp, characteristic: .uuid(0xFFE1), value: [7], type: .withoutResponse)
        #expect(confirmed.run(command).code == .failed)
    }

    @Test func `Writes an empty value, which read and connect print the same way`() throws {
        let harness = lamp(SimulatedCharacteristic("ffe1", .read([1, 2]), .write))
        #expect(harness.run(WriteVerb(target: lamp, characteristic: .uuid(0xFFE1), value: [])).code == .done)
        #expect(harness.run(ReadVerb(target: lamp, characteristic: .uuid(0xFFE1))).lines == ["(empty)"])
        let tree = harness.run(ConnectVerb(target: lamp)).lines
        #expect(tree.contains { $0.contains("FFE1") && $0.hasSuffix("= (empty)") })
        let read = harness.run(ReadVerb(target: lamp, characteristic: .uuid(0xFFE1)), .asJSON)
        #expect(try #require(ParsedJSON(read.lines.first ?? ""))["value"]?.string == "")
    }

    @Test(arguments: [[0x2A], [0, 0x2A], Array("plain text".utf8), [0xC3, 0x28]] as [[UInt8]])
    func `Read and connect print a value the same way`(value: [UInt8]) throws {
        let harness = lamp(SimulatedCharacteristic("ffe1", .read(value)))
        let read = try #require(harness.run(ReadVerb(target: lamp, characteristic: .uuid(0xFFE1))).lines.first)
        let tree = harness.run(ConnectVerb(target: lamp)).lines
        #expect(tree.contains { $0.contains("FFE1") && $0.hasSuffix("= " + read) })
    }

    @Test func `The error of a read that times out does not mention side effects`() {
        let harness = lamp(SimulatedCharacteristic("ffe1", .read { _ in .silence }))
        let outcome = harness.run(ReadVerb(target: lamp, characteristic: .uuid(0xFFE1)), .limited(.seconds(3)))
        #expect(outcome.code == .timedOut, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("--timeout") == true)
        #expect(outcome.errors.first?.contains("took effect") == false)
    }

    @Test func `Repeated readings end after their number`() throws {
        let harness = CommandHarness()
        var verb = ReadVerb(target: .part("strap"), characteristics: [.uuid(0x2A19), .uuid(0x2A38)])
        verb.period = .seconds(1)
        verb.count = 3
        let outcome = harness.run(verb)
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines.count == 6)
    }
}
