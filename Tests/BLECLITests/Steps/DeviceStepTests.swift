import Rx
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The steps pair, trust, forget, power and decode.
struct DeviceStepTests {
    private func harness(
        _ pairing: SimulatedPairing = SimulatedPairing(), on version: SimulatedBlueZ.Version = .v5_82
    ) -> CommandHarness {
        let lock = SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:07") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
            pairing
            SimulatedService("fff0") {
                SimulatedCharacteristic("fff1", .read([0x2A]), protection: .encryption)
            }
        }
        var scenario = Scenario(peripherals: [lock])
        scenario.bluez = version
        return CommandHarness(scenario)
    }

    private func verb(_ lines: String...) throws -> RunVerb {
        RunVerb(script: try StepScript(lines.joined(separator: "\n"), name: "x"))
    }

    @Test func `After the step pair, a protected value can be read over the same link`() throws {
        let harness = harness()
        let outcome = harness.run(try verb("connect Lock", "pair", "read FFF1", "pair Lock"))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(
            outcome.lines == [
                "C0:FF:EE:00:00:07 “Lock” is paired.", "2a  42", "C0:FF:EE:00:00:07 “Lock” is paired already.",
            ])
        #expect(harness.calls("Disconnect") == 1 && harness.calls("Pair") == 1)
    }

    @Test(arguments: SimulatedBlueZ.Version.allCases, ["pair", "pair Loc"])
    func `After a refused value, the step pair connects again`(version: SimulatedBlueZ.Version, line: String) {
        let harness = harness(on: version)
        let outcome = harness.run(RefusedStepsVerb(lines: ["connect Lock", "read FFF1", line, "read FFF1"]))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["C0:FF:EE:00:00:07 “Lock” is paired.", "2a  42"])
        #expect(outcome.errors.count == 1 && outcome.errors.first?.contains("Connecting again to") == true)
        #expect(harness.calls("Pair") == 1)
    }

    @Test(arguments: ["pair", "pair loc"])
    func `A link that is lost during the step pair is not the one of another program`(line: String) throws {
        let harness = harness(SimulatedPairing(delay: .seconds(20)))
        let simulation = harness.simulation
        let outcome = harness.run(
            try verb("connect Lock", line),
            meanwhile: [(10_000, { _ in simulation.bluez.dropLink(to: "C0:FF:EE:00:00:07") })])
        #expect(outcome.code == .failed)
        #expect(outcome.errors.last?.contains("the link was lost") == true, "\(outcome.errors)")
        #expect(outcome.errors.last?.contains("Connect again, and pair then") == true)
        #expect(outcome.errors.allSatisfy { !$0.contains("nother program") })
    }

    @Test func `The step pair uses a passkey, and fails with a wrong one or none`() throws {
        let pairing = SimulatedPairing(.passkeyShown(42), requiresAuthentication: true)
        let lines: [(String, ExitCode)] = [
            ("pair Lock --passkey 42", .done), ("pair --passkey 41", .failed), ("pair", .failed),
        ]
        for (line, code) in lines {
            let lines = line.contains("Lock") ? [line] : ["connect Lock", line]
            let script = try StepScript(lines.joined(separator: "\n"), name: "x")
            let outcome = harness(pairing).run(RunVerb(script: script))
            #expect(outcome.code == code, "\(line): \(outcome.errors)")
        }
    }

    @Test func `The steps trust and forget work on the connected device`() throws {
        let harness = harness()
        let outcome = harness.run(
            try verb("connect Lock", "trust", "trust Lock --off", "forget lock", "read FFF1"))
        #expect(
            outcome.lines == [
                "C0:FF:EE:00:00:07 “Lock” is trusted.", "C0:FF:EE:00:00:07 “Lock” is not trusted.",
                "C0:FF:EE:00:00:07 “Lock” is forgotten.",
            ], "\(outcome.errors)")
        #expect(outcome.code == .usage && outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("No device is connected") == true)
        #expect(harness.run(try verb("connect Lock", "forget loc")).code == .notFound)
    }

    @Test func `The step power switches the adapter`() throws {
        let outcome = CommandHarness().run(try verb("power off", "power on", "connect Strap", "read 2A19"))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["hci0 is off.", "hci0 is on.", "57  87 %"])
    }

    @Test func `The step decode needs no device, and reports a wrong value before any step runs`() throws {
        #expect(CommandHarness().run(try verb("decode 2A19 57")).lines == ["87 %"])
        let ruuvi = "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F"
        for company in ["0499", "0x499", "Ruuvi"] {
            let lines = CommandHarness().run(try verb("decode --manufacturer \(company) \(ruuvi)")).lines
            #expect(lines.count == 1 && lines.first?.hasPrefix("ruuvi") == true, "\(lines)")
        }
        let json = CommandHarness().run(try verb("decode 2A19 57"), .asJSON)
        #expect(ParsedJSON(json.lines.first ?? "")?["value"]?.string == "57")
        #expect(json.lines.count == 2)
        #expect(throws: CLIError.self) { try verb("decode 2A19 5") }
    }
}

/// Runs steps over one link, and continues after a step that is refused for lack of a pairing, as the shell does.
private struct RefusedStepsVerb: Verb {
    let lines: [String]

    func run(in context: CommandContext) -> Observable<Never> {
        Observable<Never>.deferred {
            let session = StepSession(context)
            let script = try StepScript(lines.joined(separator: "\n"), name: "x")
            return Observable.from(script.lines)
                .concatMap { line in
                    StepReport(context: context, line: line.number, text: line.text).run(line.step, in: session)
                        .catch { error -> Observable<Never> in
                            guard (error as? StepFailure)?.error.cause?.kind == .needsPairing else { throw error }
                            return .empty()
                        }
                }
                .do(onDispose: { session.close() })
        }
    }
}
