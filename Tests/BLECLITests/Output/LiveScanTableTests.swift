import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

struct LiveScanTableTests {
    private let size = TerminalSize(columns: 80, rows: 24)

    @Test func `draws ten times a second at most, and gives the cursor back`() {
        let harness = CommandHarness(terminal: size)
        let outcome = harness.run(ScanVerb(), .limited(.seconds(2)))
        #expect(outcome.code == .done)
        #expect((10...22).contains(harness.output.writes))
        let text = outcome.lines.joined(separator: "\n")
        #expect(text.components(of: "\u{1B}[?25l") == 1)
        #expect(text.contains("Heart rate strap"))
        // The last sequence has no line break after it, so it is still there.
        #expect(harness.output.text.isEmpty)
    }

    @Test func `gives the cursor back when it is interrupted`() {
        let harness = CommandHarness(terminal: size)
        let manager = harness.run(ScanVerb(), for: 0, meanwhile: [(1000, { $0.stop(.interrupted) })])
        #expect(manager.code == nil)
        harness.advance(2000)
        #expect(harness.output.text.hasSuffix("\u{1B}[?25h"))
    }

    @Test func `draws nothing while nothing comes, and nothing again that is the same`() {
        let silent = CommandHarness(Scenario(peripherals: []), terminal: size)
        silent.run(ScanVerb(), for: 60)
        #expect(silent.output.writes == 0)
        let steady = CommandHarness(
            Scenario(peripherals: [
                SimulatedPeripheral("Lamp", address: "C0:FF:EE:00:00:09") {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp")
                }
            ]), terminal: size)
        steady.run(ScanVerb(), for: 60)
        #expect(steady.output.writes <= 2)
    }

    @Test func `draws nothing where the scan fails`() {
        let harness = CommandHarness(starting: false, terminal: size)
        #expect(harness.run(ScanVerb()).code == .unavailable)
        #expect(harness.output.writes == 0)
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
