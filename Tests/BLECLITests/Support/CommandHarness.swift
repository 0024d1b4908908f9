import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Synchronization

@testable import ble_cli

/// Runs verbs on a simulation, in virtual time.
struct CommandHarness {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let simulation: Simulation
    let output: RecordingOutput
    private let errors = RecordingOutput()

    init(_ scenario: Scenario = .everyday, starting: Bool = true, terminal size: TerminalSize? = nil) {
        simulation = Simulation(scenario, scheduler: scheduler, starting: starting)
        output = RecordingOutput(size: size)
    }

    init(around peripheral: SimulatedPeripheral) { self.init(Scenario(peripherals: [peripheral])) }

    /// What a run has come to.
    struct Outcome {
        /// Nil where it goes on.
        let code: ExitCode?
        let lines: [String]
        let errors: [String]
        /// When it was over, in seconds.
        let time: Double?
    }

    /// Runs a verb for so many seconds at most.
    ///
    /// - Parameter meanwhile: What happens in the run, by the millisecond.
    @discardableResult
    func run(
        _ verb: any Verb, _ options: CommandContext.Options = CommandContext.Options(), for seconds: Int = 60,
        meanwhile events: [(time: Int, event: @Sendable (CommandRunner) -> Void)] = []
    ) -> Outcome {
        let manager = BluetoothManager(
            bus: simulation.connect(), scheduler: scheduler, adapter: options.adapter, deadlines: options.deadlines,
            pairing: verb.pairing)
        let ended = End()
        let messages = Messages(output: errors, isJSON: options.json) { [scheduler] in scheduler.now }
        let context = CommandContext(
            manager: manager, scheduler: scheduler, output: output, options: options, messages: messages)
        let run = CommandRunner(context, messages: messages) { [scheduler] in ended.note($0, at: scheduler.clock) }
        let start = scheduler.clock
        run.start(verb)
        for event in events { scheduler.scheduleAt(start + event.time) { event.event(run) } }
        scheduler.advanceBy(seconds * 1000)
        return Outcome(
            code: ended.code, lines: output.takeLines(), errors: errors.takeLines(),
            time: ended.time.map { Double($0 - start) / 1000 })
    }

    /// Goes on for so many milliseconds.
    func advance(_ milliseconds: Int) { scheduler.advanceBy(milliseconds) }

    /// How many calls of these names bluetoothd got.
    func calls(_ names: String...) -> Int { simulation.calls.filter { names.contains($0.member) }.count }

    private final class End: Sendable {
        private let end = Mutex<(code: ExitCode, time: Int)?>(nil)
        var code: ExitCode? { end.withLock { $0?.code } }
        var time: Int? { end.withLock { $0?.time } }

        func note(_ code: ExitCode, at time: Int) { end.withLock { $0 = (code, time) } }
    }
}

/// An output that keeps what is written, and can be closed by its reader.
final class RecordingOutput: Output {
    let size: TerminalSize?
    private let state = Mutex(State())

    private struct State {
        var text = ""
        var writes = 0
        var limit = Int.max
    }

    init(size: TerminalSize? = nil) { self.size = size }

    /// Lets the reader go after so many writes from now.
    func close(after writes: Int) { state.withLock { $0.limit = $0.writes + writes } }

    var text: String { state.withLock { $0.text } }
    var writes: Int { state.withLock { $0.writes } }

    func takeLines() -> [String] {
        state.withLock { state in
            defer { state.text = "" }
            return state.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    func write(_ text: String) throws {
        try state.withLock { state in
            guard state.writes < state.limit else { throw OutputClosed() }
            state.text += text
            state.writes += 1
        }
    }
}

extension CommandContext.Options {
    static func limited(_ timeout: Duration, json: Bool = false) -> CommandContext.Options {
        var options = CommandContext.Options()
        options.timeout = timeout
        options.json = json
        return options
    }

    static let asJSON: CommandContext.Options = {
        var options = CommandContext.Options()
        options.json = true
        return options
    }()
}
