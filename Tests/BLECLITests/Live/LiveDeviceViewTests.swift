import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The live table of `scan`.
struct LiveDeviceViewTests {
    private let size = TerminalSize(columns: 80, rows: 24)

    @Test func `Redraws at most ten times a second, and hides the cursor once`() {
        let harness = CommandHarness(terminal: size)
        let outcome = harness.run(ScanVerb(), .limited(.seconds(2)))
        #expect(outcome.code == .done)
        #expect((10...22).contains(harness.output.writes))
        let text = outcome.lines.joined(separator: "\n")
        #expect(text.components(of: "\u{1B}[?25l") == 1)
        #expect(text.contains("Heart rate strap"))
        #expect(harness.output.text.isEmpty)
    }

    @Test func `Restores the cursor after an interrupt`() {
        let harness = CommandHarness(terminal: size)
        let outcome = harness.run(ScanVerb(), for: 0, meanwhile: [(1000, { $0.stop(.interrupted) })])
        #expect(outcome.code == nil)
        harness.advance(2000)
        #expect(harness.output.text.hasSuffix("\u{1B}[?25h"))
    }

    @Test func `Redraws only after a change`() {
        let silent = CommandHarness(Scenario(peripherals: []), terminal: size)
        silent.run(ScanVerb(), for: 60)
        #expect(silent.output.writes == 0)
        let unchanged = CommandHarness(
            Scenario(peripherals: [
                SimulatedPeripheral("Lamp", address: "C0:FF:EE:00:00:09") {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp")
                }
            ]), terminal: TerminalSize(columns: 40, rows: 24))
        // A terminal of 40 columns shows no ages and rates, which change.
        unchanged.run(ScanVerb(), for: 60)
        #expect(unchanged.output.writes <= 2)
    }

    @Test func `Draws nothing if the scan fails`() {
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
