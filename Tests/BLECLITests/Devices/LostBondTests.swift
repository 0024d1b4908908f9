import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

@testable import ble_cli

/// Commands for a device that has lost the bond, on versions of BlueZ that give no reason for the end of a link.
struct LostBondTests {
    private static let versions = [SimulatedBlueZ.Version.v5_66, .v5_82]
    private static let cause = "possibly because the peripheral no longer has the bond."
    private let lock = Target.part("Lock")

    /// Returns a harness with a bonded lock, of which each further link ends soon.
    private func harness(_ version: SimulatedBlueZ.Version) -> CommandHarness {
        var scenario = Scenario(peripherals: [.lock()])
        scenario.bluez = version
        let harness = CommandHarness(scenario)
        #expect(harness.run(PairVerb(target: lock)).code == .done)
        harness.simulation.bluez.setConnection(
            SimulatedConnection(dropsAfter: .milliseconds(50)), of: "C0:FF:EE:00:00:09")
        return harness
    }

    @Test(.proves(.Q87), arguments: versions)
    func `The error names the lost bond and the commands for a new one`(version: SimulatedBlueZ.Version) {
        let verbs: [any Verb] = [
            ReadVerb(target: lock, characteristic: .uuid(0xFFD2)), ConnectVerb(target: lock),
            NotifyVerb(target: lock, characteristic: .uuid(0xFFD6)),
        ]
        for verb in verbs {
            let outcome = harness(version).run(verb, for: 120)
            #expect(outcome.code == .failed && outcome.errors.count == 1, "\(outcome.errors)")
            let text = outcome.errors.first ?? ""
            #expect(text.contains(Self.cause) && text.contains("ble-cli forget, then ble-cli pair"), "\(text)")
        }
    }

    @Test(.proves(.Q87), arguments: versions)
    func `With --reconnect, a note names the lost bond, and the command goes on`(version: SimulatedBlueZ.Version) {
        let outcome = harness(version).run(
            NotifyVerb(target: lock, characteristic: .uuid(0xFFD6), reconnects: true), .limited(.seconds(20)))
        #expect(outcome.code == .timedOut, "\(outcome.errors)")
        let notes = outcome.errors.filter { $0.contains(Self.cause) }
        let advice = "Trying again. If each link ends: ble-cli forget, then ble-cli pair."
        #expect(notes.first?.hasSuffix(advice) == true, "\(outcome.errors)")
    }

    @Test(.proves(.Q87)) func `A link that the command has not made names the lost bond first`() {
        let slow = SimulatedService("ffe0") {
            SimulatedCharacteristic("ffe1", .read { _ in .value([6], after: .seconds(20)) })
        }
        var scenario = Scenario(peripherals: [.lock(furtherServices: [slow])])
        scenario.bluez = .v5_82
        let harness = CommandHarness(scenario)
        let simulation = harness.simulation
        #expect(harness.run(PairVerb(target: lock)).code == .done)
        simulation.bluez.competingClient().connect("C0:FF:EE:00:00:09")
        harness.advance(1_000)
        let drop: @Sendable (CommandRunner) -> Void = { _ in simulation.bluez.dropLink(to: "C0:FF:EE:00:00:09") }
        let outcome = harness.run(
            ReadVerb(target: lock, characteristic: .uuid(0xFFE1)), meanwhile: [(time: 3_000, event: drop)])
        #expect(outcome.code == .failed && outcome.errors.count == 1, "\(outcome.errors)")
        let text = outcome.errors.first ?? ""
        #expect(text.contains(Self.cause), "\(text)")
        let advice = "if each link ends: ble-cli forget, then ble-cli pair. This command had not made the link, so "
        #expect(text.hasSuffix(advice + "another program may also have closed it."), "\(text)")
    }
}
