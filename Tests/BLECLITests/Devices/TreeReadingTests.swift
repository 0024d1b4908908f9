import RxBluetooth
import RxBluetoothMocks
import ScenarioFiles
import Testing

@testable import ble_cli

/// Reading all values of a device of which some need pairing, after which bluetoothd executes no operations of a link.
struct TreeReadingTests {
    private static let needsPairing = "ble-cli pair"

    @Test func `Connect prints all values that need no pairing, with one note`() {
        let harness = CommandHarness(around: .lock())
        let outcome = harness.run(ConnectVerb(target: .part("lock")))
        #expect(outcome.code == .done)
        for (uuid, value) in [("FFD1", "01"), ("FFD3", "03"), ("FFD5", "05")] {
            #expect(outcome.lines.count { $0.contains(uuid) && $0.contains("= \(value)") } == 1)
        }
        for uuid in ["FFD2", "FFD4"] {
            #expect(outcome.lines.count { $0.contains(uuid) && $0.contains(Self.needsPairing) } == 1)
        }
        #expect(outcome.lines.count { $0.contains("FFD0") } >= 1)
        #expect(outcome.errors.count == 1)
        #expect(harness.calls("Connect") == 3)
        // A refused pairing ends the link by removing the device (Q126).
        #expect(harness.calls("RemoveDevice") == 2 && harness.calls("Disconnect") == 1)
    }

    @Test func `Connect with --keep leaves the last link open`() {
        let harness = CommandHarness(around: .lock())
        let outcome = harness.run(ConnectVerb(target: .part("lock"), keepsLink: true))
        #expect(outcome.code == .done)
        #expect(outcome.lines.contains { $0.contains("FFD5") && $0.contains("= 05") })
        #expect(harness.calls("Connect") == 3)
        #expect(harness.calls("RemoveDevice") == 2 && harness.calls("Disconnect") == 0)
    }

    @Test func `The link of another program is not closed for the other values`() {
        let harness = CommandHarness(around: .lock())
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.competingClient().connect("C0:FF:EE:00:00:09")
        harness.advance(1_000)
        let outcome = harness.run(ConnectVerb(target: .part("lock")), .limited(.seconds(10)))
        #expect(outcome.code == .done)
        #expect(outcome.lines.contains { $0.contains("FFD5") && $0.contains("Not read") })
        #expect(harness.calls("Disconnect") == 0)
    }

    @Test func `A clone has all values that need no pairing`() throws {
        let outcome = CommandHarness(around: .lock()).run(CloneVerb(target: .part("lock")))
        #expect(outcome.code == .done)
        let scenario = try ScenarioFile.read(outcome.lines.joined(separator: "\n"))
        let values = CommandHarness(scenario).run(ConnectVerb(target: .part("lock"))).lines
        #expect(values == CommandHarness(around: .lock()).run(ConnectVerb(target: .part("lock"))).lines)
    }

    @Test func `A recording has the notifications, and all values that need no pairing`() throws {
        let file = RecordedFile()
        let outcome = CommandHarness(around: .lock()).run(file.verb("OUT", .part("lock"), for: .seconds(20)))
        #expect(outcome.code == .done)
        #expect(outcome.errors.count == 2, "\(outcome.errors)")
        let text = try RecordedFile.imported(file.bytes).scenario
        let scenario = try ScenarioFile.read(text)
        #expect(text.contains("protection: encryption"))
        let values = CommandHarness(scenario).run(ConnectVerb(target: .part("lock"))).lines
        #expect(values.contains { $0.contains("FFD5") && $0.contains("= 05") })
        let updates = NotifyVerb(target: .part("lock"), characteristic: .uuid(0xFFD6), count: 8)
        #expect(CommandHarness(scenario).run(updates).code == .done)
    }
}
