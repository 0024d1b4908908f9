import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli
import RxBluetoothSupport

/// The output for devices that advertise names with harmful characters.
struct HostileNameTests {
    private static let names: [String] = [
        "\u{1B}]0;owned\u{07}\u{1B}[2J", "abc\u{202E}fed", "line\nbreak", "zero\u{200B}width", "\u{9B}31m", "\u{7F}",
        String(repeating: "x", count: 200), "体温計", "\"quoted\\", "\u{E0041}",
    ]

    private static func harness(_ name: String, terminal size: TerminalSize? = nil) -> CommandHarness {
        CommandHarness(
            Scenario(peripherals: [
                SimulatedPeripheral(name, address: "C0:FF:EE:00:00:09") {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: name)
                    SimulatedService("ffd0") {
                        SimulatedCharacteristic("2a29", .read(Array(name.utf8)))
                        SimulatedCharacteristic("ffd1", .read(Array(name.utf8)), descriptors: [.userDescription(name)])
                    }
                }
            ]), terminal: size)
    }

    private func expectHarmless(_ lines: [String]) {
        #expect(!lines.isEmpty)
        for line in lines {
            #expect(!line.unicodeScalars.contains { $0.isHarmful }, "\(line.debugDescription)")
        }
    }

    @Test(arguments: names)
    func `Hostile names are harmless in lines, in JSON and in the tree`(name: String) throws {
        let plain = Self.harness(name).run(ScanVerb(), .limited(.seconds(1)))
        expectHarmless(plain.lines)
        #expect(plain.lines.count == 1)

        let json = Self.harness(name).run(ScanVerb(), .limited(.seconds(1), json: true))
        expectHarmless(json.lines)
        #expect(try #require(ParsedJSON(json.lines[0]))["address"]?.string == "C0:FF:EE:00:00:09")

        let target = Target.address("C0:FF:EE:00:00:09")
        let tree = Self.harness(name).run(ConnectVerb(target: target))
        #expect(tree.code == .done)
        expectHarmless(tree.lines)
        let object = Self.harness(name).run(ConnectVerb(target: target), .asJSON)
        expectHarmless(object.lines)

        let failed = Self.harness(name).run(ReadVerb(target: target, characteristic: .uuid(0x2A37)))
        #expect(failed.code == .notFound)
        #expect(failed.errors.count == 1)
        expectHarmless(failed.errors)
    }

    @Test(arguments: names)
    func `Hostile names keep the table intact`(name: String) {
        let harness = Self.harness(name, terminal: TerminalSize(columns: 60, rows: 24))
        let outcome = harness.run(ScanVerb(), .limited(.seconds(1)))
        #expect(outcome.lines.count == 2)
        for line in outcome.lines {
            // The table's own control sequences are harmless, so they are removed before the check.
            let text = line.replacing("\u{1B}[?25l", with: "").replacing("\r", with: "").replacing("\u{1B}[K", with: "")
                .replacing("\u{1B}[?7l", with: "").replacing("\u{1B}[?7h", with: "").withoutColours
            expectHarmless([text])
            #expect(TextWidth.of(text) <= 60)
        }
    }

    @Test(arguments: names)
    func `Hostile names keep every view of top intact`(name: String) {
        let size = TerminalSize(columns: 60, rows: 24)
        let keys = ScriptedKeys()
        let harness = Self.harness(name, terminal: size)
        let outcome = harness.run(
            TopVerb(color: .never, keyboard: keys),
            meanwhile: [
                (1000, { _ in keys.press("j") }), (2000, { _ in keys.press("\r") }),
                (9000, { _ in keys.press("\u{1B}") }), (10_000, { _ in keys.press("/\(name)") }),
                (11_000, { _ in keys.press("\u{03}") }),
            ])
        #expect(outcome.code == .done)
        var rest = harness.output.written[...]
        while let start = rest.firstIndex(of: "\u{1B}") {
            expectHarmless([String(rest[..<start]) + "-"])
            let sequence = rest[start...].dropFirst(2)
            #expect(rest[start...].dropFirst().first == "[")
            let end = sequence.firstIndex { $0.isLetter }
            #expect(end != nil)
            guard let end else { return }
            // Only the control sequences of the view itself.
            #expect(["H", "J", "K", "h", "l", "m"].contains(sequence[end]))
            #expect(sequence[..<end].allSatisfy { $0.isNumber || $0 == ";" || $0 == "?" })
            rest = rest[rest.index(after: end)...]
        }
        expectHarmless([String(rest) + "-"])
    }

    @Test func `Invalid, empty and missing names have a placeholder`() {
        let bytes: [[UInt8]?] = [nil, [], [0, 0], [0x20, 0x20]]
        for name in bytes {
            var advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -50)
            advertisement.name = name
            let harness = CommandHarness(
                around: SimulatedPeripheral("", address: "C0:FF:EE:00:00:09") { advertisement })
            let outcome = harness.run(ScanVerb(), .limited(.seconds(1)))
            #expect(outcome.lines == ["C0:FF:EE:00:00:09   -50 dBm  (no name)"])
        }
        var advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -50)
        advertisement.name = [0x41, 0xFF, 0xC3, 0x28]
        let invalid = CommandHarness(around: SimulatedPeripheral("", address: "C0:FF:EE:00:00:09") { advertisement })
            .run(ScanVerb(), .limited(.seconds(1)))
        #expect(invalid.lines.count == 1)
        expectHarmless(invalid.lines)
    }
}
