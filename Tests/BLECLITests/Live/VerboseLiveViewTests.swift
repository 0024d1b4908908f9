import Rx
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The log of `--verbose` while a live view has the terminal.
struct VerboseLiveViewTests {
    private let size = TerminalSize(columns: 80, rows: 24)

    private static let verbose: CommandContext.Options = {
        var options = CommandContext.Options.limited(.seconds(3))
        options.isVerbose = true
        return options
    }()

    private func screen(_ harness: CommandHarness) -> [String] {
        var terminal = EmulatedTerminal(size)
        terminal.write(harness.output.written)
        return terminal.lines
    }

    @Test func `The table of a scan stays below the log`() throws {
        let harness = CommandHarness(terminal: size)
        harness.run(ScanVerb(color: .never, keyboard: ScriptedKeys()), Self.verbose)
        let lines = screen(harness)
        let header = try #require(lines.firstIndex { $0.hasPrefix("RSSI  ADV/S") })
        #expect(lines.filter { $0.hasPrefix("RSSI  ADV/S") }.count == 1)
        #expect(lines[..<header].contains { $0.contains(" info ") })
        #expect(lines[header...].allSatisfy { !$0.contains(" info ") && !$0.contains(" debug ") })
        #expect(lines[header...].contains { $0.contains("Heart rate strap") })
        // A line of the log is written once, also if the table is drawn again.
        let log = harness.output.written.split(separator: "\n").filter { $0.contains(" info ") }
        #expect(!log.isEmpty && Set(log).count == log.count)
    }

    @Test func `Without a keyboard, the log before the first device is printed at once`() {
        let harness = CommandHarness(Scenario(peripherals: []), terminal: size)
        harness.run(ScanVerb(), Self.verbose)
        #expect(harness.output.written.isEmpty)
        #expect(harness.errors.written.contains(" info "))
    }

    @Test func `The log of top is printed after its end`() {
        let harness = CommandHarness(terminal: size)
        let early = Guarded("")
        harness.run(
            TopVerb(color: .never), Self.verbose,
            meanwhile: [(2_900, { _ in early.withLock { $0 = harness.errors.written } })])
        let duringView = early.withLock { $0 }
        #expect(duringView.isEmpty)
        #expect(!harness.output.written.contains(" info "))
        #expect(harness.errors.written.contains(" info "))
    }

    @Test func `On a pseudo-terminal, the log of top follows the earlier content`() async throws {
        let process = PseudoTerminal("top", "--simulate", "--verbose")
        _ = await process.output(until: "Loose plug")
        process.type("q")
        let end = await process.end()
        #expect(end.code == 0)
        let restored = try #require(end.output.firstRange(of: "\u{1B}[?1049l\u{1B}[?25h"))
        #expect(!end.output[..<restored.lowerBound].contains(" info "))
        #expect(end.output[restored.upperBound...].contains(" info "))
    }

    @Test func `A note of a live view waits, and later notes are printed at once`() {
        let errors = RecordingOutput(size: size)
        let messages = Messages(output: errors)
        messages.hold()
        messages.note("first")
        #expect(errors.written.isEmpty)
        messages.release()
        messages.note("second")
        #expect(errors.written == "ble-cli: first\nble-cli: second\n")
    }

    @Test func `Messages do not wait if standard error is a file or a pipe`() {
        let errors = RecordingOutput()
        let messages = Messages(output: errors)
        messages.hold()
        messages.note("first")
        #expect(errors.written == "ble-cli: first\n")
    }

    @Test func `The number of messages that wait is limited`() {
        let held = HeldMessages()
        #expect(!held.keep("early"))
        held.begin()
        for number in 0..<HeldMessages.limit + 5 { #expect(held.keep("line \(number)")) }
        let lines = held.end()
        #expect(lines.count == HeldMessages.limit + 1)
        #expect(lines[0] == "ble-cli: 5 earlier log lines are left out; 2>FILE keeps all.")
        #expect(lines[1] == "line 5" && held.isEmpty)
    }
}
