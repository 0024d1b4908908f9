import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Commands for a device with a protected battery level, for which bluetoothd itself starts a pairing.
struct ProtectedBatteryTests {
    private static let versions = SimulatedBlueZ.Version.allCases
    private static let address = "C0:FF:EE:00:00:0B"

    private static func harness(
        _ version: SimulatedBlueZ.Version, _ pairing: SimulatedPairing = SimulatedPairing(failure: .notSupported)
    ) -> CommandHarness {
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Finder", address: address) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Finder")
                pairing
                SimulatedService("180f") {
                    SimulatedCharacteristic("2a19", .read([75]), .notify, protection: .encryption)
                }
                SimulatedService("ffe8") { SimulatedCharacteristic("ffe9", .read([1]), .write, .notify) }
            }
        ])
        scenario.bluez = version
        return CommandHarness(scenario)
    }

    private let finder = Target.part("Finder")
    private let value = CharacteristicArgument.uuid(0xFFE9)
    private let remedy = "Put the peripheral into pairing mode, then pair it: ble-cli pair."

    private var verbs: [any Verb] {
        [
            ReadVerb(target: finder, characteristic: value),
            WriteVerb(target: finder, characteristic: value, value: [1]),
            NotifyVerb(target: finder, characteristic: value), ConnectVerb(target: finder),
        ]
    }

    @Test(arguments: versions)
    func `Each command names the battery level and the remedy, also over a later link`(version: SimulatedBlueZ.Version)
    {
        for verb in verbs {
            let harness = Self.harness(version)
            // Over the second link, bluetoothd reads the level before it discovers the services again.
            for discovery in [100, 5_000] {
                harness.simulation.bluez.setConnection(
                    SimulatedConnection(discovery: .milliseconds(discovery)), of: Self.address)
                let outcome = harness.run(verb, for: 12)
                #expect(outcome.code == .failed && outcome.errors.count == 1, "\(outcome.errors)")
                let text = outcome.errors.first ?? ""
                #expect(text.contains("possibly because the battery level") && text.hasSuffix(remedy), "\(text)")
                #expect(!text.contains("nother program"), "\(text)")
            }
        }
    }

    @Test(arguments: versions)
    func `Links on which bluetoothd pairs by itself are not replaced again and again`(version: SimulatedBlueZ.Version) {
        // This computer refuses the pairing, so each link stays, and executes no operation.
        let harness = Self.harness(version, SimulatedPairing())
        let outcome = harness.run(ConnectVerb(target: finder), for: 120)
        #expect(harness.calls("Connect") <= 3)
        #expect(outcome.time.map { $0 < 10 } == true, "\(outcome.time ?? -1) s")
        #expect(outcome.lines.contains { $0.contains("battery level") }, "\(outcome.lines)")
        #expect(outcome.lines.last?.hasSuffix("! Not read after the refused pairing.") == true, "\(outcome.lines)")
    }

    @Test func `With --json, the message names the battery level`() throws {
        let outcome = Self.harness(.v5_87).run(ReadVerb(target: finder, characteristic: value), .asJSON)
        let error = try #require(ParsedJSON(outcome.errors.last ?? "")?["error"])
        #expect(error["code"]?.string == "disconnected")
        #expect(error["message"]?.string?.contains("battery level") == true)
        #expect(error["message"]?.string?.hasSuffix(remedy) == true)
    }

    @Test(arguments: versions)
    func `A script and a reconnecting command name the battery level`(version: SimulatedBlueZ.Version) throws {
        let script = try StepScript("connect Finder\nread FFE9", name: "x")
        let steps = Self.harness(version).run(RunVerb(script: script))
        #expect(steps.code == .failed && !steps.errors.isEmpty)
        #expect(steps.errors.allSatisfy { $0.contains("battery level") }, "\(steps.errors)")
        let notify = NotifyVerb(target: finder, characteristic: value, reconnects: true)
        let values = Self.harness(version).run(notify, .limited(.seconds(15)))
        #expect(values.code == .timedOut)
        #expect(values.errors.contains { $0.contains("battery level") }, "\(values.errors)")
    }

    @Test(arguments: versions)
    func `Pair over a link that is lost before its call names the battery level`(version: SimulatedBlueZ.Version) {
        let harness = Self.harness(version)
        harness.run(ReadVerb(target: finder, characteristic: value), for: 10)
        harness.simulation.bluez.setConnection(SimulatedConnection(discovery: .seconds(5)), of: Self.address)
        let outcome = harness.run(PairVerb(target: finder))
        #expect(outcome.code == .failed && outcome.errors.count == 1 && harness.calls("Pair") == 0)
        let text = outcome.errors.first ?? ""
        #expect(text.contains("possibly because the battery level"), "\(text)")
        #expect(text.hasSuffix("Put the peripheral into pairing mode, and try again."), "\(text)")
    }

    @Test(arguments: versions)
    func `If the device can be paired, the error names pair, and pairing helps`(version: SimulatedBlueZ.Version) {
        let harness = Self.harness(version, SimulatedPairing())
        let read = ReadVerb(target: finder, characteristic: value)
        let refused = harness.run(read, for: 120)
        #expect(refused.code != .done && refused.errors.last?.contains("ble-cli pair") == true, "\(refused.errors)")
        #expect(refused.errors.last?.contains("battery level") == true, "\(refused.errors)")
        let paired = harness.run(PairVerb(target: finder), for: 120)
        #expect(paired.code == .done, "\(paired.errors)")
        #expect(harness.run(read).lines == ["01  1"])
    }
}
