import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The verb `top`, and the keys of `scan`, on a simulation in virtual time.
struct TopCommandTests {
    private let size = TerminalSize(columns: 120, rows: 30)

    /// Runs a verb, presses keys at times in milliseconds, and returns what the terminal shows at times.
    private func run(
        _ verb: (ScriptedKeys) -> any Verb, on harness: CommandHarness, _ keys: [(Int, String)], looks: [Int] = []
    ) -> (outcome: CommandHarness.Outcome, looks: [[String]], keys: ScriptedKeys, end: EmulatedTerminal) {
        let pressed = ScriptedKeys()
        let screens = Guarded<[[String]]>([])
        let size = harness.output.size ?? self.size
        let output = harness.output
        let looking: [(time: Int, event: @Sendable (CommandRunner) -> Void)] = looks.map { time in
            (
                time,
                { _ in
                    var terminal = EmulatedTerminal(size)
                    terminal.write(output.written)
                    screens.withLock { $0.append(terminal.lines) }
                }
            )
        }
        let typing: [(time: Int, event: @Sendable (CommandRunner) -> Void)] = keys.map { time, text in
            (time, { _ in pressed.press(text) })
        }
        let outcome = harness.run(verb(pressed), for: 20, meanwhile: typing + looking)
        var terminal = EmulatedTerminal(size)
        terminal.write(output.written)
        return (outcome, screens.withLock { $0 }, pressed, terminal)
    }

    private func top(_ keys: ScriptedKeys) -> any Verb { TopVerb(color: .never, keyboard: keys) }
    private func scan(_ keys: ScriptedKeys) -> any Verb { ScanVerb(color: .never, keyboard: keys) }

    @Test func `Shows all devices on the full screen, and restores the terminal at the end`() throws {
        let run = run(top, on: CommandHarness(terminal: size), [(3000, "q")], looks: [2500])
        #expect(run.outcome.code == .done)
        #expect((3...3.2).contains(run.outcome.time ?? 0))
        let look = try #require(run.looks.first)
        #expect(look.count == 30)
        #expect(look[0].hasPrefix("ble-cli top  5 devices") && look[0].contains("adv/s"))
        #expect(look[1].hasPrefix("NAME"))
        #expect(look[2...6].contains { $0.hasPrefix("Heart rate strap") && $0.contains("C0:FF:EE:00:00:01") })
        #expect(look.last == "? keys  q quit")
        #expect(!run.end.isAlternate && run.end.isCursorShown)
        #expect(run.keys.opened == 1 && run.keys.closed == 1)
    }

    @Test func `Redraws at most four times a second, and after a key`() {
        let harness = CommandHarness(terminal: size)
        harness.run(TopVerb(color: .never), .limited(.seconds(10)))
        #expect((20...43).contains(harness.output.writes))
    }

    @Test func `Enter connects and shows the values, and Esc returns`() throws {
        let run = run(
            top, on: CommandHarness(terminal: size),
            [(2000, "/strap\r"), (2500, "\r"), (10_000, "\u{1B}"), (11_000, "q")], looks: [9900, 10_900])
        #expect(run.outcome.code == .done && run.outcome.errors.isEmpty)
        let tree = run.looks[0]
        #expect(tree.contains { $0.contains("180D Heart Rate") })
        #expect(tree.contains { $0.contains("2A19 Battery Level") && $0.hasSuffix("87 %") })
        #expect(tree.contains("All values are read; disconnected."))
        #expect(run.looks[1][1].hasPrefix("NAME"))
        #expect(run.looks[1].contains { $0.hasPrefix("received ") })
    }

    @Test func `Esc cancels a connection attempt, and a failed one shows its cause`() {
        let harness = CommandHarness(terminal: size)
        let run = run(
            top, on: harness, [(2000, "/beacon\r\r"), (18_000, "\u{1B}"), (19_000, "q")], looks: [17_900])
        #expect(run.outcome.code == .done)
        #expect(run.looks[0].contains { $0.contains("Connecting to") }, "\(run.looks[0])")
        let other = CommandHarness(terminal: size)
        let cancelled = self.run(top, on: other, [(2000, "/strap\r\r"), (2050, "\u{1B}"), (3000, "q")], looks: [2900])
        #expect(cancelled.looks[0][1].hasPrefix("NAME"))
        #expect(cancelled.outcome.code == .done)
    }

    @Test func `A signal restores the terminal`() {
        for code in [ExitCode.terminated, .hungUp, .interrupted] {
            let harness = CommandHarness(terminal: size)
            let keys = ScriptedKeys()
            let outcome = harness.run(
                TopVerb(color: .never, keyboard: keys), for: 10, meanwhile: [(2000, { $0.stop(code) })])
            #expect(outcome.code == code)
            #expect(harness.output.written.hasSuffix("\u{1B}[?1049l\u{1B}[?25h"))
            #expect(keys.closed == 1)
        }
    }

    @Test func `A closed terminal ends the command`() {
        let harness = CommandHarness(terminal: size)
        harness.output.close(after: 3)
        let keys = ScriptedKeys()
        #expect(harness.run(TopVerb(color: .never, keyboard: keys)).code == .done)
        #expect(keys.closed == 1)
    }

    @Test func `An error is printed after the terminal is restored`() {
        let harness = CommandHarness(terminal: size)
        let simulation = harness.simulation
        let outcome = harness.run(TopVerb(color: .never), meanwhile: [(2000, { _ in simulation.bluez.crash() })])
        #expect(outcome.code == .unavailable && outcome.errors.count == 1)
        #expect(harness.output.written.hasSuffix("\u{1B}[?1049l\u{1B}[?25h"))
        let never = CommandHarness(starting: false, terminal: size)
        #expect(never.run(TopVerb(color: .never)).code == .unavailable)
        #expect(never.output.written.isEmpty)
    }

    @Test func `With --reconnect, the title says why no device is received`() {
        let harness = CommandHarness(terminal: size)
        let simulation = harness.simulation
        let screen = Guarded<[String]>([])
        let output = harness.output
        let size = size
        harness.run(
            TopVerb(color: .never, reconnects: true), .limited(.seconds(10)),
            meanwhile: [
                (2000, { _ in simulation.bluez.crash() }),
                (
                    5000,
                    { _ in
                        var terminal = EmulatedTerminal(size)
                        terminal.write(output.written)
                        screen.withLock { $0 = terminal.lines }
                    }
                ),
            ])
        #expect(screen.withLock { $0.first }?.contains("waiting: bluetoothd is not running") == true)
    }

    @Test func `Ctrl-Z restores the terminal while the process is stopped`() {
        let run = run(top, on: CommandHarness(terminal: size), [(2000, "\u{1A}"), (4000, "q")], looks: [3000])
        #expect(run.keys.suspended == 1)
        #expect(run.looks[0].first?.hasPrefix("ble-cli top") == true)
        #expect(run.outcome.code == .done)
    }

    @Test func `Needs a terminal`() throws {
        let outcome = CommandHarness().run(TopVerb())
        #expect(outcome.code == .usage)
        #expect(outcome.errors.first?.contains("ble-cli scan") == true)
        let json = try TopCommand.parse(["--json"])
        #expect(throws: CLIError.self) { try json.verb() }
    }

    @Test func `The table of scan scrolls, shows details, and prints all devices at the end`() throws {
        let small = CommandHarness(terminal: TerminalSize(columns: 96, rows: 5))
        let run = run(
            scan, on: small, [(2000, "G"), (3000, "k\r"), (4000, "\u{1B}"), (5000, "q")], looks: [2500, 3500, 4500])
        #expect(run.outcome.code == .done)
        #expect(run.looks[0][0].hasPrefix("ADDRESS"))
        #expect(run.looks[0][2].hasPrefix("C0:FF:EE:00:00:05"))
        #expect(run.looks[0][3].hasPrefix("5 devices  by seen"))
        #expect(run.looks[1][0] == "name         Loose plug")
        #expect(run.looks[2][0].hasPrefix("ADDRESS"))
        // The last five lines of the terminal, of which the last one is empty.
        #expect(run.end.lines.map { String($0.prefix(17)) } == (2...5).map { "C0:FF:EE:00:00:0\($0)" })
        #expect(run.end.isCursorShown)
    }

    @Test func `A paused table keeps its rows`() {
        let run = run(
            scan, on: CommandHarness(terminal: size), [(2000, "p"), (6000, "p"), (7000, "q")],
            looks: [2100, 5900, 6900])
        #expect(run.looks[0] == run.looks[1])
        #expect(run.looks[0].last?.contains("paused") == true)
        #expect(run.looks[1] != run.looks[2])
    }

    @Test(arguments: [(40, 8), (80, 24), (200, 50), (20, 5), (10, 3), (1, 1)])
    func `Every view fits the terminal`(columns: Int, rows: Int) {
        let size = TerminalSize(columns: columns, rows: rows)
        let keys = [
            (1000, "?"), (1500, "?j\r"), (4000, "jG?"), (4500, "\u{1B}\u{1B}"), (5000, "/x"), (6000, "\u{1B}"),
            (6500, "q"),
        ]
        let looks = [900, 1200, 3900, 4200, 4700, 5500]
        for verb in [top, scan] {
            let run = run(verb, on: CommandHarness(.showroom, terminal: size), keys, looks: looks)
            #expect(run.outcome.code == .done)
            for look in run.looks {
                #expect(look.count <= rows)
                for line in look { #expect(TextWidth.of(line) <= columns, "\(line)") }
            }
            #expect(run.end.isCursorShown && !run.end.isAlternate)
        }
    }
}
