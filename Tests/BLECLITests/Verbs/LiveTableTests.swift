import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

struct LiveTableTests {
    private let size = TerminalSize(columns: 80, rows: 24)

    @Test func `draws ten times a second at most, and gives the cursor back`() {
        let bench = Bench(terminal: size)
        let outcome = bench.run(ScanVerb(), .limited(.seconds(2)))
        #expect(outcome.code == .done)
        #expect((10...22).contains(bench.output.writes))
        let text = outcome.lines.joined(separator: "\n")
        #expect(text.components(of: "\u{1B}[?25l") == 1)
        #expect(text.contains("Heart rate strap"))
        // The last sequence has no line break after it, so it is still there.
        #expect(bench.output.text.isEmpty)
    }

    @Test func `gives the cursor back when it is interrupted`() {
        let bench = Bench(terminal: size)
        let manager = bench.run(ScanVerb(), for: 0, meanwhile: [(1000, { $0.stop(.interrupted) })])
        #expect(manager.code == nil)
        bench.advance(2000)
        #expect(bench.output.text.hasSuffix("\u{1B}[?25h"))
    }

    @Test func `draws nothing while nothing comes, and nothing again that is the same`() {
        let silent = Bench(Scenario(peripherals: []), terminal: size)
        silent.run(ScanVerb(), for: 60)
        #expect(silent.output.writes == 0)
        let steady = Bench(
            Scenario(peripherals: [
                SimulatedPeripheral("Lamp", address: "C0:FF:EE:00:00:09") {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp")
                }
            ]), terminal: size)
        steady.run(ScanVerb(), for: 60)
        #expect(steady.output.writes <= 2)
    }

    @Test func `draws nothing where the scan fails`() {
        let bench = Bench(starting: false, terminal: size)
        #expect(bench.run(ScanVerb()).code == .unavailable)
        #expect(bench.output.writes == 0)
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
