import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Synchronization
import Testing

@testable import ble_cli
import RxBluetoothSupport

/// Lines that a test types.
private final class ScriptedLines: LineSource {
    let isInteractive: Bool
    private let state: Mutex<(lines: [String], prompts: [String], closed: Int)>
    /// Calls the completion of the shell with a text before each line.
    private let probe: String?
    private let completions = Mutex<[StepCompletion.Result]>([])
    /// Runs after each line is delivered, before the subscription to it returns.
    private let afterDelivery: @Sendable () -> Void

    init(
        _ lines: [String], isInteractive: Bool = false, completing probe: String? = nil,
        afterDelivery: @escaping @Sendable () -> Void = {}
    ) {
        self.isInteractive = isInteractive
        self.probe = probe
        self.afterDelivery = afterDelivery
        state = Mutex((lines, [], 0))
    }

    var prompts: [String] { state.withLock { $0.prompts } }
    var closed: Int { state.withLock { $0.closed } }
    var results: [StepCompletion.Result] { completions.withLock { $0 } }

    func line(
        _ prompt: @escaping Prompt, complete: @escaping @Sendable (String) -> StepCompletion.Result
    ) -> Single<String?> {
        if let probe { completions.withLock { $0.append(complete(probe)) } }
        let line = state.withLock { state in
            state.prompts.append(prompt())
            return state.lines.isEmpty ? nil : state.lines.removeFirst()
        }
        return Single.create { [afterDelivery] observer in
            observer(.success(line))
            afterDelivery()
            return Disposables.create()
        }
    }

    func close() { state.withLock { $0.closed += 1 } }
}

/// The verb `shell`, on a simulation in virtual time.
struct ShellCommandTests {
    private let strap = Target.part("Strap")

    @Test func `With --json, the help of a step is a note`() throws {
        let outcome = CommandHarness().run(ShellVerb(lines: ScriptedLines(["help", "help read"])), .asJSON)
        #expect(outcome.lines.isEmpty)
        #expect(outcome.errors.count == 2)
        for line in outcome.errors { #expect(try JSONSchema().violations(of: line, as: "note") == []) }
    }

    @Test func `With --json, the help of a step with --help is a note beside the end of the step`() throws {
        let outcome = CommandHarness().run(ShellVerb(lines: ScriptedLines(["read --help"])), .asJSON)
        #expect(outcome.lines.count == 1)
        #expect(outcome.lines.allSatisfy { $0.contains("\"step\":\"read --help\",\"done\":true") })
        #expect(outcome.errors.count == 1)
        for line in outcome.errors { #expect(try JSONSchema().violations(of: line, as: "note") == []) }
    }

    @Test func `Lines from a pipe share one link; the exit code is that of the last step`() {
        let harness = CommandHarness()
        let lines = ScriptedLines(["read 2A19", "", "# x", "dance", "read 2A99", "write 2A39 2a", "read 2A39"])
        let outcome = harness.run(ShellVerb(target: strap, lines: lines))
        #expect(outcome.code == .done)
        #expect(outcome.lines == ["57  87 %", "2a  42"])
        #expect(outcome.errors.count == 2)
        #expect(outcome.errors.first?.contains("“dance” is not a step") == true)
        #expect(harness.calls("Connect") == 1)
        #expect(harness.calls("Disconnect") == 1)
        #expect(lines.closed >= 1)

        let failing = CommandHarness().run(ShellVerb(target: strap, lines: ScriptedLines(["read 2A19", "read 2A99"])))
        #expect(failing.code == .notFound)
        #expect(failing.errors.count == 1)
    }

    @Test func `Steps after a failed connection from a pipe fail with its reason and exit code`() {
        let lines = ScriptedLines(["services", "read 2A19"])
        let outcome = CommandHarness(starting: false).run(ShellVerb(target: strap, lines: lines))
        #expect(outcome.code == .unavailable && outcome.errors.count == 3)
        #expect(outcome.errors.allSatisfy { $0.contains("bluetoothd is not running") }, "\(outcome.errors)")
    }

    @Test func `A line that is handled before the subscription to it returns starts its step`() {
        let harness = CommandHarness()
        let isFirst = Mutex(true)
        let lines = ScriptedLines(["connect Strap", "read 2A19"]) { [scheduler = harness.scheduler] in
            // On the main thread, the scheduler can be faster. Later lines are requested by the scheduler itself.
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isFirst { scheduler.advanceBy(10) }
        }
        let outcome = harness.run(ShellVerb(lines: lines))
        #expect(outcome.code == .done)
        #expect(outcome.lines == ["57  87 %"])
    }

    @Test func `Errors of lines from a pipe have the line, and a byte order mark is skipped`() {
        let lines = ScriptedLines(["\u{FEFF}connect Strap", "", "dance", "read 2A99"])
        let outcome = CommandHarness().run(ShellVerb(lines: lines))
        #expect(outcome.code == .notFound && outcome.errors.count == 2)
        #expect(outcome.errors.first?.hasPrefix("ble-cli: standard input, line 3, “dance”: “dance” is not") == true)
        #expect(outcome.errors.last?.hasPrefix("ble-cli: standard input, line 4, “read 2A99”: ") == true)
    }

    @Test func `The option --help of a step prints its help, and help lists and explains quit`() {
        let lines = ScriptedLines(["read --help", "help", "help quit", "help exit"], isInteractive: true)
        let outcome = CommandHarness(terminal: TerminalSize(columns: 40, rows: 24)).run(ShellVerb(lines: lines))
        #expect(outcome.code == .done)
        #expect(outcome.errors.joined(separator: " ") == "ble-cli: Type help for the steps, and quit to end.")
        #expect(outcome.lines.contains { $0.hasPrefix("USAGE: read") })
        #expect(outcome.lines.contains { $0.hasPrefix("help ") } && outcome.lines.contains { $0.hasPrefix("quit ") })
        #expect(outcome.lines.filter { $0.contains("also exit") }.count == 3)
        for line in outcome.lines { #expect(TextWidth.of(line) <= 40, "\(line)") }
    }

    @Test func `On a terminal, the prompt names the device, and errors do not end the shell`() {
        let lines = ScriptedLines(
            ["connect Strap", "read 2A99", "disconnect", "quit", "read 2A19"], isInteractive: true)
        let outcome = CommandHarness().run(ShellVerb(lines: lines))
        #expect(outcome.code == .done)
        #expect(outcome.lines.isEmpty)
        #expect(lines.prompts == ["ble-cli> ", "Heart rate strap> ", "Heart rate strap> ", "ble-cli> "])
    }

    @Test func `Ctrl-C ends the step that runs, and not the shell`() {
        let harness = CommandHarness()
        let verb = ShellVerb(target: strap, lines: ScriptedLines(["notify 2A37", "read 2A19"], isInteractive: true))
        let outcome = harness.run(verb, meanwhile: [(10_000, { _ in _ = verb.interrupt() })])
        #expect(outcome.code == .done)
        #expect(outcome.lines.last == "57  87 %")
        #expect(outcome.lines.count > 5)
        #expect(harness.calls("Connect") == 1)
        #expect(!ShellVerb(lines: ScriptedLines([])).interrupt())
    }

    private static let answering = SimulatedPeripheral("Answer", address: "C0:FF:EE:00:00:09") {
        SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Answer")
        SimulatedService("ffe0") {
            SimulatedCharacteristic("ffe1", .notify(every: .milliseconds(200)) { [UInt8($0 & 0xFF)] })
        }
    }

    @Test(arguments: [true, false])
    func `After a lost or replaced link, subscribe turns the notifications on again`(isLost: Bool) {
        let harness = CommandHarness(around: Self.answering)
        let simulation = harness.simulation
        let lines = ScriptedLines(
            ["connect Answer", "subscribe FFE1", "pause 5s", "connect Answer", "subscribe FFE1", "wait FFE1 5s 00"],
            isInteractive: true)
        let outcome = harness.run(
            ShellVerb(lines: lines),
            meanwhile: [(5_000, { _ in if isLost { simulation.bluez.dropLink(to: "C0:FF:EE:00:00:09") } })])
        // The first value of the new link is 0, and the values of the earlier one are not stored any more.
        #expect(outcome.lines == ["00  0"], "\(outcome.errors)")
        #expect(harness.calls("StartNotify") == 2 && harness.calls("Connect") == 2)
    }

    @Test func `After a subscribe step that failed, another one turns the notifications on`() {
        let harness = CommandHarness(around: Self.answering)
        harness.simulation.bluez.add(
            Fault("GattCharacteristic1.StartNotify", calls: .first(1), .error("org.bluez.Error.Failed")))
        let lines = ScriptedLines(
            ["connect Answer", "subscribe FFE1", "subscribe FFE1", "wait FFE1 5s 00"], isInteractive: true)
        let outcome = harness.run(ShellVerb(lines: lines))
        #expect(outcome.lines == ["00  0"], "\(outcome.errors)")
        #expect(harness.calls("StartNotify") == 2)
    }

    @Test func `Help lists the steps and explains one`() {
        let outcome = CommandHarness().run(
            ShellVerb(lines: ScriptedLines(["help", "help wait", "help dance"], isInteractive: true)))
        #expect(outcome.lines.contains { $0.hasPrefix("subscribe") })
        #expect(outcome.lines.contains { $0.hasPrefix("USAGE: wait <characteristic> <time>") })
        #expect(outcome.errors.last?.contains("“dance” is not a step") == true)
    }

    @Test func `Completes steps, devices, and the characteristics of the connected device`() {
        func result(_ text: String, after lines: [String]) -> StepCompletion.Result? {
            let source = ScriptedLines(lines, completing: text)
            CommandHarness().run(ShellVerb(lines: source))
            return source.results.last
        }
        #expect(result("rea", after: [])?.line == "read ")
        #expect(result("s", after: [])?.choices == ["services", "subscribe", "scan"])
        #expect(result("dis", after: [])?.line == "disconnect ")
        #expect(result("read 2A19 --f", after: [])?.line == "read 2A19 --format ")
        #expect(result("read 2A19 --format uint2", after: [])?.line == "read 2A19 --format uint24 ")
        #expect(result("connect hea", after: ["scan"])?.line == "connect \"Heart rate strap\" ")
        #expect(result("connect c0:ff:ee:00:00:01", after: ["scan"])?.line == "connect C0:FF:EE:00:00:01 ")
        #expect(result("read batt", after: ["connect Strap"])?.line == "read \"Battery Level\" ")
        #expect(result("write ", after: ["connect Strap"])?.choices == ["2A39", "Heart Rate Control Point", "@0010"])
        #expect(result("wait \"Heart Rate Mea", after: ["connect Strap"])?.line == "wait \"Heart Rate Measurement\" ")
        #expect(result("read 2A", after: [])?.line == "read 2A")
        #expect(result("", after: [])?.choices.contains("quit") == true)
    }

    @Test(
        arguments: [
            "\u{1B}]0;owned\u{07}\u{1B}[2J", "abc\u{202E}fed", "line\nbreak", "\"quoted\\",
            String(repeating: "x", count: 200),
        ])
    func `Hostile names are harmless in the prompt and in completions`(name: String) {
        let device = SimulatedPeripheral(name, address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: name)
            SimulatedService("ffe0") { SimulatedCharacteristic("ffe1", .read(Array(name.utf8))) }
        }
        let terminal = CommandHarness(Scenario(peripherals: [device]), terminal: TerminalSize(columns: 80, rows: 24))
        let typed = ScriptedLines(["connect C0:FF:EE:00:00:09", "read FFE1 --format utf8"], isInteractive: true)
        let shown = terminal.run(ShellVerb(lines: typed))
        for line in shown.lines { #expect(!line.unicodeScalars.contains { $0.isHarmful }, "\(line.debugDescription)") }
        #expect(shown.lines.count == 1)
        let harness = CommandHarness(around: device)
        let lines = ScriptedLines(
            ["scan --for 1s", "connect C0:FF:EE:00:00:09", "read FFE1", "services", "read 2A99"],
            isInteractive: true, completing: "connect ")
        let outcome = harness.run(ShellVerb(lines: lines))
        for line in outcome.lines + outcome.errors + lines.prompts + lines.results.flatMap({ [$0.line] + $0.choices }) {
            #expect(!line.unicodeScalars.contains { $0.isHarmful }, "\(line.debugDescription)")
        }
        #expect(lines.prompts.last?.hasSuffix("> ") == true)
    }
}
