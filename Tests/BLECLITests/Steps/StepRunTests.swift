import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The verb `run`, on a simulation in virtual time.
struct StepRunTests {
    private func verb(_ lines: String...) throws -> RunVerb {
        RunVerb(script: try StepScript(lines.joined(separator: "\n"), name: "x.steps"))
    }

    @Test func `Runs all steps over one link, and closes it`() throws {
        let harness = CommandHarness()
        let outcome = harness.run(
            try verb(
                "connect Strap", "read 2A19 --format uint8", "write 2A39 2a", "read 2A39", "wait 2A37 5s",
                "notify 2A37 --count 2"))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["87", "2a  42", "003e  62 bpm", "003e  62 bpm", "003f  63 bpm"])
        #expect(outcome.errors.isEmpty)
        #expect(harness.calls("Connect") == 1)
        #expect(harness.calls("Disconnect") == 1)
    }

    @Test func `Steps read and observe a hidden battery service`() throws {
        var scenario = Scenario.everyday
        scenario.features = [.hiddenBattery]
        let steps = try verb(
            "connect Strap", "read 2A19", "notify 2A19 --count 1", "subscribe 2A19", "wait 2A19 1s",
            "read \"Battery Level\"")
        let outcome = CommandHarness(scenario).run(steps)
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == Array(repeating: "57  87 %", count: 4))
    }

    @Test func `Neither an error nor an object of --json contains a passkey or key`() throws {
        let key = "00112233445566778899aabbccddeeff"
        let line = "decode --key C0:FF:EE:00:00:01=\(key) 2A19 55"
        let outcome = CommandHarness().run(try verb(line, "pair Absent --passkey 123456"), .asJSON, for: 120)
        let printed = (outcome.lines + outcome.errors).joined(separator: "\n")
        #expect(printed.contains("decode --key C0:FF:EE:00:00:01=… 2A19 55"))
        #expect(printed.contains("pair Absent --passkey …"))
        #expect(!printed.contains("0011") && !printed.contains("123456"))
        for wrong in [line + " 55 66", "pair x --passkey 1234567", "read 2A19 --kye \(key)", "decode \(key) --key"] {
            let error = #expect(throws: CLIError.self) { _ = try verb(wrong) }
            #expect(error?.text.contains("0011") == false && error?.text.contains("1234567") == false, "\(wrong)")
        }
    }

    @Test(arguments: [16, 20, 23, 24, 25, 27, 28, 29, 30, 31, 32, 33, 34, 40])
    func `An error contains no key that has digits too many or too few`(digits: Int) {
        expectNoKey(String("aa112233445566778899aabbccddeeff0011aabb".prefix(digits)))
    }

    @Test(arguments: [
        "aa:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff", "aa 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff",
        "aa11 2233 4455 6677 8899 aabb ccdd eeff", "aa112233 44556677 8899aabb ccddeeff",
        // A letter o instead of a zero, and a letter too many.
        "aa112233445566o78899aabbccddeeff", "aa:11:22:33:44:55:66:o7:88:99:aa:bb:cc:dd:ee:fff",
    ])
    func `An error contains no key with colons, spaces or a wrong letter`(key: String) {
        expectNoKey(key)
    }

    /// Expects that errors about wrong steps contain no part of a key.
    private func expectNoKey(_ key: String) {
        var wrong = [
            "decode --key C0:FF:EE:00:00:01=\(key) 2A19 55 66", "read 2A19 --kye \(key)", "pause 1s \(key)",
            "pause \"\(key)\"",
        ]
        // The error quotes the first word, which is no key by itself.
        if !key.contains(" ") { wrong.append(key) }
        for line in wrong {
            let error = #expect(throws: CLIError.self, "\(line)") { _ = try verb(line) }
            let text = error?.text ?? ""
            #expect(!text.contains("aa11") && !text.contains("2233") && !text.contains("22:33"), "\(text)")
            #expect(!text.contains("22 33") && !text.contains("66 77") && !text.contains("'44'"), "\(text)")
        }
    }

    @Test(arguments: [
        "read C0:FF:EE:00:00:01 2A19", "“C0:FF:EE:00:00:01” and “C0:FF:EE:00:00:02”", "add 2A19 bad face",
        "0000180d-0000-1000-8000-00805f9b34fb", "the number is not 0 to 18446744073709551615.", "", " é 5 ", "00 11'",
    ])
    func `A message keeps addresses, UUIDs and numbers`(text: String) {
        #expect(SecretRedaction.message(text) == text)
    }

    @Test(arguments: [true, false])
    func `With --verbose, the steps of run print no passkey or key`(json: Bool) throws {
        let key = "00112233445566778899aabbccddeeff"
        var options = CommandContext.Options()
        options.isVerbose = true
        options.json = json
        let outcome = CommandHarness().run(
            try verb("decode --key C0:FF:EE:00:00:01=\(key) 2A19 55", "connect Strap", "pair --passkey 123456"),
            options, for: 120)
        let printed = (outcome.lines + outcome.errors).joined(separator: "\n")
        #expect(!printed.contains("1122") && !printed.contains("123456"), "\(printed)")
    }

    @Test(arguments: ["\n", "\r\n"])
    func `A file may begin with a byte order mark, and have either end of lines`(end: String) throws {
        let script = try StepScript("\u{FEFF}connect Strap\(end)# comment\(end)read 2A19\(end)", name: "x")
        #expect(script.lines.map(\.text) == ["connect Strap", "read 2A19"])
        #expect(script.lines.map(\.number) == [1, 3])
    }

    @Test func `The first step that fails ends the run with its exit code, line and reason`() throws {
        let harness = CommandHarness()
        let outcome = harness.run(try verb("connect Strap", "# next", "read 2A99", "read 2A19"))
        #expect(outcome.code == .notFound)
        #expect(outcome.lines.isEmpty)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.hasPrefix("ble-cli: x.steps, line 3, “read 2A99”: C0:FF:EE:00:00:01 ") == true)
        #expect(harness.calls("Disconnect") == 1)
    }

    @Test(
        arguments: [
            ("connect absent", ExitCode.notFound, "No device"), ("read 2A19", .usage, "No device is connected"),
            ("connect Strap\nwait 2A19 2s", .timedOut, "No value of 2A19 arrived within 2 s."),
            ("connect Strap\nwait 2A37 2s ff", .timedOut, "The value ff of 2A37 did not arrive within 2 s."),
            ("connect Strap\ndisconnect\nread 2A19", .usage, "No device is connected"),
            ("connect Strap\nread 2A05", .failed, "2A05"),
        ])
    func `Each failure has the exit code of its kind`(text: String, code: ExitCode, part: String) throws {
        let outcome = CommandHarness().run(RunVerb(script: try StepScript(text, name: "x")), for: 120)
        #expect(outcome.code == code)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains(part) == true, "\(outcome.errors)")
    }

    @Test func `With --json, an object about each step follows its results`() throws {
        let schema = try JSONSchema()
        let outcome = CommandHarness().run(
            try verb("connect Strap", "read 2A19", "write 2A39 01", "services", "read 2A99"), .asJSON)
        #expect(outcome.code == .notFound)
        let steps = outcome.lines.filter { $0.contains("\"step\":") }
        #expect(steps.count == 5)
        for line in steps { #expect(schema.violations(of: line, as: "step") == []) }
        #expect(steps.map { ParsedJSON($0)?["done"]?.bool } == [true, true, true, true, false])
        #expect(ParsedJSON(steps.last ?? "")?["error"]?["code"]?.string == "not-found")
        #expect(ParsedJSON(steps.last ?? "")?["line"]?.number == 5)
        #expect(schema.violations(of: outcome.lines[1], as: "value") == [])
        #expect(schema.violations(of: outcome.lines[3], as: "write") == [])
        #expect(schema.violations(of: outcome.lines[5], as: "tree") == [])
        #expect(schema.violations(of: outcome.errors.first ?? "", as: "error") == [])
    }

    @Test func `After subscribe, a value that arrives before its wait is not missed`() throws {
        let answering = SimulatedPeripheral("Answer", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Answer")
            SimulatedService("ffe0") {
                SimulatedCharacteristic("ffe1", .notify(every: .milliseconds(200)) { [UInt8($0)] })
            }
        }
        let harness = CommandHarness(around: answering)
        let outcome = harness.run(
            try verb(
                "connect Answer", "subscribe FFE1", "pause 1s", "wait FFE1 10ms 00", "wait FFE1 10ms 02",
                "wait FFE1 10ms"))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["00  0", "02  2", "03  3"])
    }

    @Test(arguments: ["2A19", "2A29"])
    func `A subscribe step fails if notifications cannot be turned on`(characteristic: String) throws {
        let harness = CommandHarness()
        harness.simulation.bluez.add(Fault("GattCharacteristic1.StartNotify", .error("org.bluez.Error.Failed")))
        let outcome = harness.run(
            try verb("connect Strap", "subscribe \(characteristic)", "pause 1s", "read 2A19"))
        #expect(outcome.code == .failed)
        #expect(outcome.lines.isEmpty)
        #expect(outcome.errors.first?.contains("line 2, “subscribe \(characteristic)”: ") == true, "\(outcome.errors)")
    }

    @Test func `A subscribe step ends when all its notifications are on`() throws {
        let harness = CommandHarness()
        let outcome = harness.run(
            try verb("connect Strap", "subscribe 2A37 2A19", "subscribe 2A37", "wait 2A37 5s"), for: 20)
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(harness.calls("StartNotify") == 2)
    }

    @Test func `A link that is lost between two steps fails the next step with its reason`() throws {
        let harness = CommandHarness()
        let simulation = harness.simulation
        let outcome = harness.run(
            try verb("connect Strap", "pause 5s", "read 2A19"),
            meanwhile: [(4_000, { _ in simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01") })])
        #expect(outcome.code == .failed)
        #expect(outcome.errors.count == 2)
        #expect(outcome.errors.last?.contains("line 3, “read 2A19”: ") == true)
        #expect(outcome.errors.allSatisfy { $0.contains("the link was lost") })
    }

    private static let meter = SimulatedPeripheral("Meter", address: "C0:FF:EE:00:00:09") {
        SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Meter")
        SimulatedService("ff30") {
            SimulatedCharacteristic("ff31", .read([1]))
            SimulatedCharacteristic("ff32", .notify(every: .milliseconds(200)) { _ in [7] })
        }
    }
    private static let changed = SimulatedService("ff30") {
        SimulatedCharacteristic("ff31", .read([2]))
        SimulatedCharacteristic("ff32", .notify(every: .milliseconds(200)) { _ in [9] })
        SimulatedCharacteristic("ff40", .read([3]), .write)
    }

    /// Runs steps, and changes the services of the device after 5 s.
    private func outcomeOfChange(announced: Bool = true, _ lines: String...) throws -> CommandHarness.Outcome {
        let harness = CommandHarness(around: Self.meter)
        let bluez = harness.simulation.bluez
        return harness.run(
            RunVerb(script: try StepScript(lines.joined(separator: "\n"), name: "x.steps")),
            meanwhile: [
                (
                    5_000,
                    { _ in bluez.changeServices(of: "C0:FF:EE:00:00:09", announced: announced, to: [Self.changed]) }
                )
            ])
    }

    @Test func `Steps find the attributes that a device has added during the connection`() throws {
        let outcome = try outcomeOfChange(
            "connect Meter", "read FF31", "pause 10s", "read FF40", "write FF40 05", "read FF40", "read FF31",
            "services")
        #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.lines.prefix(4) == ["01  1", "03  3", "05  5", "02  2"])
        #expect(outcome.lines.contains { $0.contains("FF40") && $0.contains("= 05") })
    }

    @Test(arguments: ["read FF31", "services", "notify FF32 --count 1", "wait FF32 5s"])
    func `The first step after a change of the services uses the new ones`(line: String) throws {
        let outcome = try outcomeOfChange("connect Meter", "pause 10s", line)
        #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.lines.contains { $0.hasPrefix("02") || $0.hasPrefix("09") || $0.hasSuffix("= 02  2") })
    }

    @Test func `After a change of the services, subscribe turns the notifications on again`() throws {
        let outcome = try outcomeOfChange(
            "connect Meter", "subscribe FF32", "pause 10s", "subscribe FF32", "wait FF32 5s")
        #expect(outcome.code == .done && outcome.lines == ["09  9"], "\(outcome.errors)")
    }

    @Test func `A step fails if the device has not announced its new services`() throws {
        let outcome = try outcomeOfChange(announced: false, "connect Meter", "pause 10s", "read FF40")
        #expect(outcome.code == .notFound && outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("has no characteristic FF40") == true, "\(outcome.errors)")
    }

    @Test func `A second connect closes the first link`() throws {
        let harness = CommandHarness()
        let outcome = harness.run(
            try verb("connect Strap", "connect C0:FF:EE:00:00:05", "read @000b"), for: 120)
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["0b  11"])
        #expect(harness.calls("Connect") == 2)
        #expect(harness.calls("Disconnect") == 2)
    }

    @Test(arguments: [false, true])
    func `A closed output ends the run without an error`(isJSON: Bool) throws {
        let harness = CommandHarness()
        harness.output.close(after: 1)
        let outcome = harness.run(try verb("connect Strap", "info", "services"), isJSON ? .asJSON : .init())
        #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(harness.calls("Disconnect") == 1)
    }

    @Test func `An interrupt ends the run and closes the link`() throws {
        let harness = CommandHarness()
        let outcome = harness.run(
            try verb("connect Strap", "notify 2A37"), meanwhile: [(10_000, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(harness.calls("Disconnect") == 1)
    }
}
