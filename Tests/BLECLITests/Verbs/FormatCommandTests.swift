import ArgumentParser
import RxBluetooth
import RxBluetoothMocks
import RxBluetoothSupport
import Testing

@testable import ble_cli

/// The formats of values, and several values over one link.
struct FormatCommandTests {
    private let strap = Target.address("C0:FF:EE:00:00:01")

    @Test func `Read prints several values over one link, each with its characteristic`() {
        let harness = CommandHarness()
        let outcome = harness.run(ReadVerb(target: strap, characteristics: [.uuid(0x2A19), .uuid(0x2A39)]))
        #expect(outcome.lines == ["2A19 @0013  57  87 %", "2A39 @0010  00  0"])
        #expect(harness.calls("Connect") == 1)
    }

    @Test func `Read fails before the first value if one characteristic is missing`() {
        let outcome = CommandHarness().run(
            ReadVerb(target: strap, characteristics: [.uuid(0x2A19), .uuid(0x2A99)]))
        #expect(outcome.code == .notFound)
        #expect(outcome.lines.isEmpty)
    }

    @Test func `With --every, read repeats over one link until the time limit`() {
        let harness = CommandHarness()
        var verb = ReadVerb(target: strap, characteristic: .uuid(0x2A19))
        verb.period = .seconds(2)
        let outcome = harness.run(verb, .limited(.seconds(9)))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == [String](repeating: "57  87 %", count: 5))
        #expect((9...9.3).contains(outcome.time ?? 0))
        #expect(harness.calls("Connect") == 1)
        #expect(harness.calls("Disconnect") == 1)
    }

    @Test func `With --every, a time limit before the first value has exit code 4`() {
        let harness = CommandHarness()
        harness.simulation.bluez.add(Fault("GattCharacteristic1.ReadValue", .lost))
        var verb = ReadVerb(target: .address("C0:FF:EE:00:00:01"), characteristic: .uuid(0x2A19))
        verb.period = .seconds(1)
        let outcome = harness.run(verb, .limited(.seconds(3)))
        #expect(outcome.code == .timedOut && outcome.lines.isEmpty)
        #expect(outcome.errors.count == 1, "\(outcome.errors)")
    }

    @Test(arguments: ["notify", "run"])
    func `A notified value without the format is a note, and later values are printed`(command: String) throws {
        let varying = SimulatedPeripheral("Varying", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Varying")
            SimulatedService("ffe0") {
                SimulatedCharacteristic("ffe1", .notify(every: .milliseconds(200)) { $0 == 1 ? [] : [UInt8($0)] })
            }
        }
        let target = Target.address("C0:FF:EE:00:00:09")
        let format = ValueFormat.integers(bytes: 2, isSigned: false, isBigEndian: false)
        let single = ValueFormat.integers(bytes: 1, isSigned: false, isBigEndian: false)
        let verb: any Verb =
            command == "notify"
            ? NotifyVerb(target: target, characteristics: [.uuid(0xFFE1)], format: single, count: 4)
            : RunVerb(
                script: try StepScript(
                    "connect Varying\nnotify FFE1 --count 4 --format uint8", name: "x"))
        let outcome = CommandHarness(around: varying).run(verb)
        #expect(outcome.code == .done)
        #expect(outcome.lines == ["0", "2", "3"])
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("The value (empty) of FFE1 is not uint8.") == true)
        // A single value that does not have the format is an error.
        let read = CommandHarness().run(
            ReadVerb(target: .address("C0:FF:EE:00:00:01"), characteristics: [.uuid(0x2A19)], format: format))
        #expect(read.code == .failed)
    }

    @Test(arguments: [(" ", nil), ("\t", "hex"), (" ", "base64"), ("-", nil), ("@empty", "raw"), ("@line", "hex")])
    func `A value that is empty by mistake is rejected`(text: String, format: String?) throws {
        let format = try format.map { try ValueFormat(parsing: $0) }
        #expect(throws: CLIError.self) {
            try ValueArgument.parse(text, format) { path throws(CLIError) in path == "line" ? [0x0A] : [] }
        }
        #expect(try ValueArgument.parse("", format) { _ throws(CLIError) in [1] } == [])
    }

    @Test func `A reading that takes longer than --every skips the next one`() {
        let harness = CommandHarness()
        harness.simulation.bluez.setConnection(
            SimulatedConnection(roundTrip: .milliseconds(700)), of: "C0:FF:EE:00:00:01")
        var verb = ReadVerb(target: strap, characteristic: .uuid(0x2A19))
        verb.period = .milliseconds(500)
        let outcome = harness.run(verb, .limited(.seconds(10)), meanwhile: [(30_000, { $0.stop(.interrupted) })])
        #expect(outcome.code == .done)
        #expect((1...9).contains(outcome.lines.count), "\(outcome.lines.count)")
    }

    @Test func `Read prints a value in a format, and with --json adds it`() throws {
        let format = try ValueFormat(parsing: "uint8")
        let verb = ReadVerb(target: strap, characteristics: [.uuid(0x2A19)], format: format)
        #expect(CommandHarness().run(verb).lines == ["87"])
        let object = try #require(ParsedJSON(CommandHarness().run(verb, .asJSON).lines.first ?? ""))
        #expect(object["formatted"]?.string == "87")
        #expect(object["value"]?.string == "57")
    }

    @Test func `A value without the format is an error that shows its bytes`() throws {
        let verb = ReadVerb(
            target: strap, characteristics: [.uuid(0x2A19)], format: try ValueFormat(parsing: "uint16"))
        let outcome = CommandHarness().run(verb)
        #expect(outcome.code == .failed)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("The value 57 of 2A19 is not uint16.") == true)
        let json = CommandHarness().run(verb, .asJSON)
        #expect(json.code == .done)
        #expect(ParsedJSON(json.lines.first ?? "")?["formatted"]?.isNull == true)
    }

    @Test func `Text of a device is escaped on a terminal only`() throws {
        let text = "a\\b\u{1}\u{1B}[2J\u{202E}"
        let device = SimulatedPeripheral("Display", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Display")
            SimulatedService("ffd0") { SimulatedCharacteristic("ffd1", .read(Array(text.utf8))) }
        }
        let verb = ReadVerb(target: .part("display"), characteristics: [.uuid(0xFFD1)], format: .utf8)
        #expect(CommandHarness(around: device).run(verb).lines == [text])
        let json = CommandHarness(around: device).run(verb, .asJSON).lines.first ?? ""
        #expect(ParsedJSON(json)?["formatted"]?.string == text)
        #expect(!json.unicodeScalars.contains { $0.isHarmful })
        let terminal = CommandHarness(
            Scenario(peripherals: [device]), terminal: TerminalSize(columns: 80, rows: 24))
        #expect(terminal.run(verb).code == .done)
        #expect(terminal.output.written.contains("a\\\\b"))
        #expect(!terminal.output.written.unicodeScalars.contains { $0.isHarmful && $0 != "\n" })
    }

    @Test func `Raw bytes are printed unchanged, but not on a terminal`() {
        let verb = ReadVerb(target: strap, characteristics: [.uuid(0x2A19)], format: .raw)
        let harness = CommandHarness()
        #expect(harness.run(verb).code == .done)
        #expect(harness.output.written == "W")
        let terminal = CommandHarness(terminal: TerminalSize(columns: 80, rows: 24)).run(verb)
        #expect(terminal.code == .usage)
        #expect((terminal.time ?? 9) < 0.1)
    }

    @Test func `Several characteristics notify over one link, and --count counts all values`() {
        let harness = CommandHarness()
        let outcome = harness.run(
            NotifyVerb(target: strap, characteristics: [.uuid(0x2A37), .uuid(0x2A19)], count: 3))
        #expect(outcome.code == .done)
        #expect(outcome.lines.count == 3)
        #expect(outcome.lines.first == "2A37 @000b  003e  62 bpm")
        #expect(harness.calls("Connect") == 1)
        #expect(harness.calls("Disconnect") == 1)
    }

    @Test func `Write encodes its value before it connects`() throws {
        for (arguments, bytes) in [
            (["x", "2A39", "--format", "int16", "--value", "-5"], [0xFB, 0xFF]),
            (["x", "2A39", "hi", "--format", "utf8"], [0x68, 0x69]),
            (["x", "@000b", "--format", "uint16be", "--value", "0x1234"], [0x12, 0x34]),
        ] as [([String], [UInt8])] {
            let verb = try #require(try WriteCommand.parse(arguments).verb() as? WriteVerb)
            #expect(verb.request.value == bytes)
            #expect(verb.request.typed == nil)
        }
        for arguments in [
            ["x", "2A39", "300", "--format", "uint8"], ["x", "2A39", "1", "--format", "nonsense"],
            ["x", "2A39", "1", "--value", "2", "--format", "uint8"], ["x", "2A39", "--format", "uint8"],
        ] {
            #expect {
                try WriteCommand.parse(arguments).verb()
            } throws: { ($0 as? CLIError)?.code == .usage }
        }
    }

    @Test func `Read and notify reject wrong options with the exit code of wrong usage`() {
        for arguments in [["x", "2A19", "--every", "0"], ["x", "2A19", "--format", "int7"], ["x", "2A19", "2A3"]] {
            #expect {
                try ReadCommand.parse(arguments).verb()
            } throws: { ($0 as? CLIError)?.code == .usage }
        }
    }
}
