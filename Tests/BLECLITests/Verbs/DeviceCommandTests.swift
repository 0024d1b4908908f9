import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The verbs `info`, `disconnect` and `trust`, and the option `--keep`.
struct DeviceCommandTests {
    private let address = Target.address("C0:FF:EE:00:00:01")
    private let strap = Target.part("strap")
    private let battery = CharacteristicArgument.uuid(0x2A19)

    // MARK: info

    @Test func `Prints what bluetoothd knows about a device that advertises`() {
        let harness = CommandHarness()
        let outcome = harness.run(InfoVerb(target: strap))
        #expect(outcome.code == .done && outcome.errors.isEmpty)
        #expect(outcome.lines.first == "C0:FF:EE:00:00:01  Heart rate strap")
        for line in [
            "  Adapter           hci0", "  Address type      random", "  Trusted           no",
            "  Connected         no", "  Appearance        0x0341", "  Services          180D Heart Rate",
            "                    180F Battery Service",
        ] { #expect(outcome.lines.contains(line), "\(line)") }
        #expect(outcome.lines.contains { $0.hasPrefix("  RSSI              -") && $0.hasSuffix(" dBm") })
        #expect(harness.calls("Connect") == 0)
        #expect(harness.calls("StartDiscovery") == harness.calls("StopDiscovery"))
    }

    @Test(arguments: SimulatedBlueZ.Version.allCases)
    func `On BlueZ 5.87, info prints two lines more than on earlier versions`(version: SimulatedBlueZ.Version) throws {
        var scenario = Scenario.everyday
        scenario.bluez = version
        let isNew = version == .v5_87
        let lines = CommandHarness(scenario).run(InfoVerb(target: strap)).lines
        for line in ["  Connected over LE no", "  Cable pairing     no"] {
            #expect(lines.contains(line) == isNew, "\(line)")
        }
        let json = CommandHarness(scenario).run(InfoVerb(target: strap), .asJSON)
        let object = try #require(ParsedJSON(json.lines[0]))
        let value: Bool? = isNew ? false : nil
        for key in ["connectedOverLE", "cablePairing"] { #expect(object[key]?.bool == value, "\(key)") }
    }

    @Test func `A known device needs no scan, and a connected one has an MTU`() {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: strap, characteristic: battery, keepsLink: true))
        harness.simulation.bluez.forgetCalls()
        let outcome = harness.run(InfoVerb(target: strap))
        #expect(outcome.lines.contains("  Connected         yes"))
        #expect(outcome.lines.contains("  MTU               517 bytes"))
        #expect(harness.calls("StartDiscovery", "Connect", "Disconnect") == 0)
    }

    @Test func `Decodes advertised data of sensors`() throws {
        let outcome = CommandHarness(.showroom).run(InfoVerb(target: .part("ruuvi 5")))
        #expect(outcome.lines.contains { $0.hasPrefix("  Manufacturer data 0499 Ruuvi Innovations Ltd. = ") })
        #expect(outcome.lines.contains { $0.hasPrefix("  Reading           ruuvi (RuuviTag): temperature ") })
        let json = CommandHarness(.showroom).run(InfoVerb(target: .part("ruuvi 5")), .asJSON)
        #expect(try #require(ParsedJSON(json.lines[0]))["reading"]?["format"]?.string == "ruuvi")
    }

    @Test func `An absent or ambiguous device has the exit code of its cause`() {
        let absent = CommandHarness().run(InfoVerb(target: .part("absent")), .limited(.seconds(3)))
        #expect(absent.code == .notFound && absent.errors.count == 1)
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(2)), for: 3)
        #expect(harness.run(InfoVerb(target: .part("c0:ff"))).code == .usage)
        #expect(CommandHarness().run(InfoVerb(target: .part("c0:ff"))).code == .usage)
    }

    @Test(arguments: [20, 40, 80])
    func `On a terminal, long values are broken at its width`(columns: Int) {
        let harness = CommandHarness(.showroom, terminal: TerminalSize(columns: columns, rows: 24))
        let lines = harness.run(InfoVerb(target: .part("ruuvi 5"))).lines
        #expect(lines.count > 12)
        for line in lines.dropFirst() { #expect(TextWidth.of(line) <= max(columns, 30), "\(line)") }
    }

    // MARK: disconnect

    @Test func `Closes the link of another command, and reports a device without a link`() throws {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: strap, characteristic: battery, keepsLink: true))
        #expect(harness.calls("Connect") == 1 && harness.calls("Disconnect") == 0)
        let closed = harness.run(DisconnectVerb(target: strap), for: 5)
        #expect(closed.code == .done)
        #expect(closed.lines == ["C0:FF:EE:00:00:01 “Heart rate strap” is disconnected."])
        #expect(harness.calls("Disconnect") == 1)
        let again = harness.run(DisconnectVerb(target: strap), .asJSON)
        let object = try #require(ParsedJSON(again.lines.first ?? ""))
        #expect(again.code == .done && object["wasConnected"]?.bool == false)
        #expect(harness.calls("Disconnect") == 1)
        #expect(harness.run(DisconnectVerb(target: .part("absent"))).code == .notFound)
    }

    @Test func `A link that bluetoothd does not close is a typed error`() {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: strap, characteristic: battery, keepsLink: true))
        harness.simulation.bluez.add(Fault("Device1.Disconnect", .lost))
        let outcome = harness.run(DisconnectVerb(target: strap))
        #expect(outcome.code == .timedOut && outcome.errors.count == 1)
    }

    // MARK: trust

    @Test func `Trusts a known device, and stops trusting it`() {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: strap, characteristic: battery, keepsLink: true))
        for isTrusted in [true, false] {
            let outcome = harness.run(TrustVerb(target: strap, isTrusted: isTrusted))
            #expect(outcome.code == .done)
            #expect(outcome.lines == ["C0:FF:EE:00:00:01 “Heart rate strap” is \(isTrusted ? "" : "not ")trusted."])
            let value = "  Trusted           \(isTrusted ? "yes" : "no")"
            #expect(harness.run(InfoVerb(target: strap)).lines.contains(value))
        }
        let absent = harness.run(TrustVerb(target: .part("absent"), isTrusted: true))
        #expect(absent.code == .notFound && absent.errors.first?.contains("ble-cli devices") == true)
    }

    // MARK: --keep

    @Test func `With --keep, the link stays open, and the next command uses it at once`() {
        let harness = CommandHarness()
        let verbs: [any Verb] = [
            ConnectVerb(target: strap, keepsLink: true),
            ReadVerb(target: strap, characteristic: battery, keepsLink: true),
            WriteVerb(target: strap, request: WriteRequest(characteristic: .uuid(0x2A39), value: [1]), keepsLink: true),
            NotifyVerb(target: strap, characteristics: [.uuid(0x2A37)], count: 1, keepsLink: true),
        ]
        for (index, verb) in verbs.enumerated() {
            let outcome = harness.run(verb)
            #expect(outcome.code == .done, "\(outcome.errors)")
            // A notification arrives each second; a second scan or a wait for a closing link would take 2.4 s or more.
            if index > 0 { #expect((outcome.time ?? 9) < 1.2, "\(outcome.time ?? 9)") }
        }
        #expect(harness.calls("Connect") >= 1 && harness.calls("Disconnect") == 0)
        #expect(harness.calls("StartNotify") == harness.calls("StopNotify"))
        // A command without --keep shares the link, and leaves it open, too.
        #expect(harness.run(ReadVerb(target: strap, characteristic: battery)).code == .done)
        #expect(harness.calls("Disconnect") == 0)
    }

    @Test func `With --keep, an interrupt while connecting cancels the attempt`() {
        let harness = CommandHarness()
        harness.simulation.bluez.setConnection(
            SimulatedConnection(delay: .seconds(3)), of: "C0:FF:EE:00:00:01")
        let verb = ReadVerb(target: address, characteristic: battery, keepsLink: true)
        let outcome = harness.run(verb, meanwhile: [(1_500, { $0.stop(.interrupted) })])
        #expect(outcome.code == .interrupted)
        #expect(harness.calls("Connect") == harness.calls("Disconnect"))
    }

    // MARK: Steps

    @Test func `The steps info and disconnect work on the session and on another device`() throws {
        let harness = CommandHarness()
        harness.run(ConnectVerb(target: .part("twin"), keepsLink: true))
        let script = try StepScript(
            """
            connect Strap
            info
            info Twin
            disconnect Twin
            read 2A19
            disconnect Strap
            disconnect Strap
            """, name: "x")
        let outcome = harness.run(RunVerb(script: script))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines.filter { $0 == "  Connected         yes" }.count == 2)
        #expect(outcome.lines.last == "57  87 %")
        #expect(harness.calls("Disconnect") == 2)
        let none = harness.run(RunVerb(script: try StepScript("info", name: "x")))
        #expect(none.code == .usage && none.errors.first?.contains("No device is connected") == true)
    }
}
