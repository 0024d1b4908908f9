import ArgumentParser
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The filters, the order and the duration of `scan`.
struct ScanFilterTests {
    private static let address = "C0:FF:EE:00:00:09"

    private static func lamp(_ name: String?, rssi: Int = -50, company: UInt16? = nil) -> SimulatedAdvertisement {
        SimulatedAdvertisement(
            every: .milliseconds(100), rssi: rssi, name: name, manufacturerData: company.map { [$0: [1]] } ?? [:])
    }

    /// Runs a scan of a device that advertises something else after one second.
    private static func run(
        _ verb: ScanVerb, _ first: SimulatedAdvertisement, then second: SimulatedAdvertisement, json: Bool = false
    ) -> [String] {
        let harness = CommandHarness(around: SimulatedPeripheral("", address: address) { first })
        let simulation = harness.simulation
        return harness.run(
            verb, .limited(.seconds(3), json: json),
            meanwhile: [(1000, { _ in simulation.bluez.advertise(second, from: address) })]
        ).lines
    }

    private func verb(_ arguments: String...) throws -> ScanVerb {
        try #require(try (try ScanCommand.parse(arguments)).verb() as? ScanVerb)
    }

    @Test(arguments: [false, true])
    func `A name matches in upper and lower case, also if the device obtains it later`(json: Bool) throws {
        let verb = try verb("--name", " LAM")
        let late = Self.run(verb, Self.lamp(nil), then: Self.lamp("Desk lamp"), json: json)
        #expect(late.count == 1 && late.first?.contains("Desk lamp") == true)
        #expect(Self.run(verb, Self.lamp("Fan"), then: Self.lamp("Radio"), json: json).isEmpty)
    }

    @Test func `A device is printed once its signal is strong enough`() throws {
        let verb = try verb("--rssi", "-70")
        let late = Self.run(verb, Self.lamp("Lamp", rssi: -90), then: Self.lamp("Lamp", rssi: -60))
        #expect(late == ["C0:FF:EE:00:00:09   -60 dBm  Lamp"])
        #expect(Self.run(verb, Self.lamp("Lamp", rssi: -90), then: Self.lamp("Lamp", rssi: -80)).isEmpty)
        // The name becomes known while the signal is weak.
        let both = Self.run(
            try self.verb("--rssi", "-70", "--name", "lamp"), Self.lamp(nil, rssi: -60),
            then: Self.lamp("Lamp", rssi: -60))
        #expect(both.count == 1)
    }

    @Test func `Companies match if the device advertises data of any of them`() throws {
        let everyday = CommandHarness()
        let lines = everyday.run(try verb("--manufacturer", "004C", "--manufacturer", "0x0499"), .limited(.seconds(2)))
            .lines
        #expect(lines.count == 1 && lines.first?.contains("Door beacon") == true)
        let late = Self.run(
            try verb("--manufacturer", "0499"), Self.lamp("Lamp"), then: Self.lamp("Lamp", company: 0x0499))
        #expect(late.count == 1)
        let weak = Self.run(
            try verb("--manufacturer", "0499", "--rssi", "-40"), Self.lamp("Lamp", company: 0x0499),
            then: Self.lamp("Lamp 2", company: 0x0499))
        #expect(weak.isEmpty)
    }

    @Test(arguments: ["Apple", "apple, inc.", "4c", "0x004C"])
    func `A company is given by its name or its number, in scan and in top`(company: String) throws {
        for arguments in [[], ["--all"], ["--passive"]] {
            let scan = try ScanCommand.parse(["--manufacturer", company] + arguments).verb()
            let plain = CommandHarness().run(scan, .limited(.seconds(2))).lines
            #expect(!plain.isEmpty && plain.allSatisfy { $0.contains("C0:FF:EE:00:00:03") }, "\(plain)")
            let json = CommandHarness().run(scan, .limited(.seconds(2), json: true)).lines.map { ParsedJSON($0) }
            #expect(!json.isEmpty && json.allSatisfy { $0?["companies"]?["004c"]?.string == "Apple, Inc." })
        }
        let parsed = try TopCommand.parse(["--manufacturer", company]).verb() as? TopVerb
        var top = try #require(parsed)
        top.keyboard = nil
        let screen = CommandHarness(terminal: TerminalSize(columns: 120, rows: 24))
        screen.run(top, .limited(.seconds(2)))
        let text = screen.output.written
        #expect(text.contains("Door beacon") && !text.contains("Heart rate strap"))
        #expect(throws: CLIError.self) { try TopCommand.parse(["--manufacturer", "No Such Company"]).verb() }
    }

    @Test func `The filters also apply to --all and to the live table`() throws {
        let all = CommandHarness().run(try verb("--all", "--name", "strap"), .limited(.seconds(2)))
        #expect(all.lines.count > 5 && all.lines.allSatisfy { $0.contains("Heart rate strap") })
        var live = try verb("--name", "strap")
        live.keyboard = nil
        let table = CommandHarness(terminal: TerminalSize(columns: 80, rows: 24)).run(live, .limited(.seconds(2)))
        let text = table.lines.joined()
        #expect(text.contains("Heart rate strap") && !text.contains("Thermometer"))
    }

    @Test(arguments: [
        ("rssi", ["C0:FF:EE:00:00:0A", "C0:FF:EE:00:00:0C", "C0:FF:EE:00:00:0B"]),
        ("name", ["C0:FF:EE:00:00:0B", "C0:FF:EE:00:00:0A", "C0:FF:EE:00:00:0C"]),
        ("address", ["C0:FF:EE:00:00:0A", "C0:FF:EE:00:00:0B", "C0:FF:EE:00:00:0C"]),
    ])
    func `In a pipe, sorted devices are printed once, at the end`(sort: String, addresses: [String]) throws {
        func harness() -> CommandHarness {
            CommandHarness(
                Scenario(peripherals: [
                    SimulatedPeripheral("", address: "C0:FF:EE:00:00:0C") { Self.lamp(nil, rssi: -60) },
                    SimulatedPeripheral("", address: "C0:FF:EE:00:00:0B") { Self.lamp("Anchor", rssi: -70) },
                    SimulatedPeripheral("", address: "C0:FF:EE:00:00:0A") { Self.lamp("bell", rssi: -50) },
                ]))
        }
        let verb = try verb("--for", "2s", "--sort", sort)
        let outcome = harness().run(verb)
        #expect(outcome.code == .done && (2...2.1).contains(outcome.time ?? 0))
        #expect(outcome.lines.map { String($0.prefix(17)) } == addresses)
        let json = harness().run(verb, .asJSON)
        #expect(json.lines.map { ParsedJSON($0)?["address"]?.string } == addresses)
        // Ctrl-C also prints what was found.
        let stopped = harness().run(verb, meanwhile: [(1000, { $0.stop(.interrupted) })])
        #expect(stopped.code == .interrupted && stopped.lines.count == 3)
    }

    @Test func `An order without an end needs a duration in a pipe`() throws {
        let outcome = CommandHarness().run(try verb("--sort", "rssi"))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.first?.contains("--for 10s") == true)
        #expect(CommandHarness().run(try verb("--sort", "rssi"), .limited(.seconds(1))).code == .done)
    }

    @Test func `A duration ends the scan with exit code 0`() throws {
        let outcome = CommandHarness().run(try verb("--for", "1500ms", "--json"), .asJSON)
        #expect(outcome.code == .done && (1.5...1.6).contains(outcome.time ?? 0))
        #expect(outcome.lines.count == 5)
    }

    @Test func `Colours are printed in a pipe only if they are requested`() throws {
        let plain = CommandHarness().run(try verb("--name", "strap"), .limited(.seconds(1)))
        let colored = CommandHarness().run(try verb("--name", "strap", "--color", "always"), .limited(.seconds(1)))
        #expect(!plain.lines.joined().contains("\u{1B}"))
        #expect(colored.lines.first?.contains("\u{1B}[1mHeart rate strap\u{1B}[0m") == true)
        let json = CommandHarness().run(try verb("--color", "always"), .limited(.seconds(1), json: true))
        #expect(!json.lines.joined().contains("\u{1B}"))
    }

    @Test(
        arguments: [
            ["--name", " "], ["--rssi", "strong"], ["--rssi", "-200"], ["--rssi", "21"], ["--manufacturer", "12345"],
            ["--manufacturer", "No Such Company"], ["--sort", "size"], ["--for", "soon"], ["--for", "-1"],
            ["--for", "5s", "--timeout", "5"], ["--color", "blue"], ["--sort", "rssi", "--all"],
        ])
    func `Invalid options are rejected with a text of one line`(arguments: [String]) throws {
        let command = try ScanCommand.parse(arguments)
        #expect { try command.verb() } throws: { error in
            guard let failure = error as? CLIError else { return false }
            return failure.code == .usage && !failure.text.contains("\n") && failure.text.hasSuffix(".")
        }
    }
}
