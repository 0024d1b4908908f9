import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Synchronization

@testable import ble_cli

/// Runs verbs on a simulation in virtual time.
struct CommandHarness {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let simulation: Simulation
    let output: RecordingOutput
    /// Standard error, on the same terminal as the output.
    let errors: RecordingOutput
    /// The links that earlier runs have left open.
    private let keptLinks = MemoryKeptLinks()
    let closingLinks = MemoryClosingLinks()

    init(_ scenario: Scenario = .everyday, starting: Bool = true, terminal size: TerminalSize? = nil) {
        simulation = Simulation(scenario, scheduler: scheduler, starting: starting)
        output = RecordingOutput(size: size)
        errors = RecordingOutput(size: size)
    }

    init(around peripheral: SimulatedPeripheral) { self.init(Scenario(peripherals: [peripheral])) }

    /// The output and the end of a run.
    struct Outcome {
        /// The exit code; nil if the verb still runs.
        let code: ExitCode?
        let lines: [String]
        let errors: [String]
        /// The duration of the run in seconds; nil if the verb still runs.
        let time: Double?
    }

    /// Runs a verb in virtual time, for at most this many seconds, and returns its outcome.
    ///
    /// - Parameter meanwhile: Events during the run, with their times in milliseconds.
    @discardableResult
    func run(
        _ verb: any Verb, _ options: CommandContext.Options = CommandContext.Options(), for seconds: Int = 60,
        meanwhile events: [(time: Int, event: @Sendable (CommandRunner) -> Void)] = []
    ) -> Outcome {
        let messages = Messages(output: errors, isJSON: options.json) { [scheduler] in scheduler.now }
        var configuration = BluetoothManager.Configuration(
            adapter: options.adapter, scheduler: scheduler, deadlines: options.deadlines, pairing: verb.pairing,
            logger: options.isVerbose ? MessageLogHandler.logger(to: messages) : nil)
        configuration.keys = verb.keys
        let manager = BluetoothManager(configuration: configuration, bus: simulation.connect())
        let end = EndRecorder()
        let context = CommandContext(
            manager: manager, scheduler: scheduler, output: output, options: options, messages: messages,
            keptLinks: keptLinks, closingLinks: closingLinks,
            makeManager: { [simulation, configuration] pairing in
                var configuration = configuration
                configuration.pairing = pairing
                return BluetoothManager(configuration: configuration, bus: simulation.connect())
            })
        let runner = CommandRunner(context, messages: messages) { [scheduler] in end.record($0, at: scheduler.clock) }
        let start = scheduler.clock
        runner.start(verb)
        for event in events { scheduler.scheduleAt(start + event.time) { event.event(runner) } }
        scheduler.advanceBy(seconds * 1000)
        return Outcome(
            code: end.code, lines: output.takeLines(), errors: errors.takeLines(),
            time: end.time.map { Double($0 - start) / 1000 })
    }

    /// Advances the virtual time by milliseconds.
    func advance(_ milliseconds: Int) { scheduler.advanceBy(milliseconds) }

    /// Returns how often bluetoothd received calls of these methods.
    func calls(_ names: String...) -> Int { simulation.calls.filter { names.contains($0.member) }.count }

    private final class EndRecorder: Sendable {
        private let end = Mutex<(code: ExitCode, time: Int)?>(nil)
        var code: ExitCode? { end.withLock { $0?.code } }
        var time: Int? { end.withLock { $0?.time } }

        func record(_ code: ExitCode, at time: Int) { end.withLock { $0 = (code, time) } }
    }
}

/// An output that records text, and can be closed as a pipe can.
final class RecordingOutput: Output {
    let size: TerminalSize?
    private let state = Mutex(Recording())

    private struct Recording {
        var text = ""
        /// All text since the beginning.
        var written = ""
        var writes = 0
        var limit = Int.max
    }

    init(size: TerminalSize? = nil) { self.size = size }

    /// Closes the output after this many further writes.
    func close(after writes: Int) { state.withLock { $0.limit = $0.writes + writes } }

    var text: String { state.withLock { $0.text } }
    var written: String { state.withLock { $0.written } }
    var writes: Int { state.withLock { $0.writes } }

    func takeLines() -> [String] {
        state.withLock { state in
            defer { state.text = "" }
            return state.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    func write(bytes: [UInt8]) throws { try write(String(decoding: bytes, as: UTF8.self)) }

    func write(_ text: String) throws {
        try state.withLock { state in
            guard state.writes < state.limit else { throw OutputClosed() }
            state.text += text
            state.written += text
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
