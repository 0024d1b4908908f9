import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The time limit of commands that `--timeout` limits as a whole.
struct CommandDeadlineTests {
    private static let slow = SimulatedPeripheral("Slow", address: "C0:FF:EE:00:00:09") {
        SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Slow")
        SimulatedService("ffb8") {
            SimulatedCharacteristic("ffb1", .read { _ in .value([1], after: .seconds(3)) })
            SimulatedCharacteristic("ffb3", .read { _ in .silence })
            SimulatedCharacteristic("ffb4", .read([4]))
            SimulatedCharacteristic("ffb5", .write { _ in .silence })
        }
    }

    @Test func `Connect ends at the time limit, and marks the values that were not requested`() {
        let outcome = CommandHarness(around: Self.slow)
            .run(ConnectVerb(target: .part("slow")), .limited(.seconds(8)))
        #expect(outcome.code == .done)
        #expect((8...10).contains(outcome.time ?? 0), "\(String(describing: outcome.time))")
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.contains { $0.contains("FFB1") && $0.hasSuffix("= 01  1") }, "\(outcome.lines)")
        #expect(outcome.lines.contains { $0.contains("FFB3") && $0.contains("there was no reply in time") })
        #expect(outcome.lines.contains { $0.contains("FFB4") && $0.hasSuffix("  ! Not read within 8 s.") })
        #expect(outcome.lines.contains { $0.contains("FFB5") && $0.hasSuffix("[write]") })
    }

    @Test func `If no other link can be made in time, the remaining values are marked`() {
        let lock = SimulatedPeripheral.lock(pairing: SimulatedPairing(failure: .notSupported))
        let harness = CommandHarness(around: lock)
        let simulation = harness.simulation
        // After the link that the refused pairing ends, the device is out of range.
        let outcome = harness.run(
            ConnectVerb(target: .part("Lock")), .limited(.seconds(10)),
            meanwhile: [(1_500, { _ in simulation.bluez.advertise(nil, from: "C0:FF:EE:00:00:09") })])
        #expect(outcome.code == .done, "\(outcome.errors)")
        for uuid in ["FFD1", "FFD2", "FFD3", "FFD4", "FFD5", "FFD6"] {
            #expect(outcome.lines.count { $0.contains("    \(uuid)  @") } == 1, "\(uuid): \(outcome.lines)")
        }
        #expect(outcome.lines.count { $0.hasSuffix("! Not read within 10 s.") } == 3, "\(outcome.lines)")
    }

    @Test func `With --json, an error says whether the value was requested`() throws {
        let outcome = CommandHarness(around: Self.slow)
            .run(ConnectVerb(target: .part("slow")), .limited(.seconds(8), json: true))
        #expect(outcome.code == .done)
        let tree = try #require(ParsedJSON(outcome.lines.first ?? ""))
        #expect(tree["complete"]?.bool == false)
        let characteristics = (tree["services"]?.items ?? []).flatMap { $0["characteristics"]?.items ?? [] }
        let silent = try #require(characteristics.first { $0["uuid"]?.string == "FFB3" })
        let behind = try #require(characteristics.first { $0["uuid"]?.string == "FFB4" })
        for error in [silent["error"], behind["error"]] { #expect(error?["code"]?.string == "timed-out") }
        #expect(silent["error"]?["message"]?.string?.contains("no reply in time") == true)
        #expect(behind["error"]?["message"]?.string == "Not read within 8 s. Give a longer --timeout.")
        #expect(behind["error"]?["detail"]?.string == "Not read within 8 s")
    }

    @Test func `Without a time limit, a value after a missing reply refers to the earlier one`() {
        let outcome = CommandHarness(around: Self.slow).run(ConnectVerb(target: .part("slow")))
        let earlier = "An earlier value has no reply either"
        #expect(outcome.lines.contains { $0.contains("FFB3") && $0.contains("no reply") && !$0.contains(earlier) })
        #expect(outcome.lines.contains { $0.contains("FFB4") && $0.contains(earlier) }, "\(outcome.lines)")
    }

    @Test func `Reading several values and writing one end at the time limit`() {
        let read = CommandHarness(around: Self.slow).run(
            ReadVerb(target: .part("slow"), characteristics: [.uuid(0xFFB1), .uuid(0xFFB3), .uuid(0xFFB4)]),
            .limited(.seconds(8)))
        #expect(read.lines.count == 1)
        let write = CommandHarness(around: Self.slow).run(
            WriteVerb(target: .part("slow"), characteristic: .uuid(0xFFB5), value: [1]), .limited(.seconds(8)))
        for (outcome, uuid) in [(read, "FFB3"), (write, "FFB5")] {
            #expect(outcome.code == .timedOut)
            #expect((8...10).contains(outcome.time ?? 0), "\(String(describing: outcome.time))")
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains(uuid) == true, "\(outcome.errors)")
        }
    }
}
