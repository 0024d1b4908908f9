import Dispatch
import Rx
import RxBluetooth

/// The manager, clock, output and options that a verb uses.
///
/// A context does not depend on the process or the terminal, so tests can run verbs.
struct CommandContext: Sendable {
    var manager: BluetoothManager
    /// Delivers the manager's events, and is the clock of the verb.
    let scheduler: any SchedulerType
    let output: any Output
    let options: Options
    /// Receives notes and errors.
    let messages: Messages
    /// The links that commands with --keep have left open.
    var keptLinks: any KeptLinks = MemoryKeptLinks()
    /// The links that commands are closing.
    var closingLinks: any ClosingLinks = MemoryClosingLinks()
    /// Makes a manager with another pairing policy on the same bus; nil if that is not possible.
    ///
    /// The policy decides the method of pairing, and cannot be changed later.
    var makeManager: (@Sendable (PairingPolicy) -> BluetoothManager)?

    /// Prints a note of one line while the command runs.
    func note(_ text: String) { messages.note(text) }

    /// The common options as values.
    struct Options: Sendable {
        var adapter = AdapterSelection.automatic
        /// The time limit; nil if none was given.
        var timeout: Duration?
        var json = false
        var isVerbose = false

        /// The time limit for finding, connecting and discovering together.
        var setupTimeout: Duration { timeout ?? .seconds(10) }

        /// The library's deadlines, derived from the time limit.
        var deadlines: Deadlines {
            var deadlines = Deadlines()
            deadlines.connect = setupTimeout
            deadlines.services = setupTimeout
            deadlines.operation = setupTimeout
            if let timeout { deadlines.diagnosis = timeout }
            // Without --timeout, pairing keeps the library's longer deadline: a person may have to press a button.
            if let timeout { deadlines.pair = timeout }
            if let timeout { deadlines.power = timeout }
            return deadlines
        }
    }

    /// Emits once after a duration on the context's clock.
    func timer(_ duration: Duration) -> Observable<Int> {
        Observable<Int>.timer(duration.interval, scheduler: scheduler)
    }
}

/// The behaviour of a command.
protocol Verb: Sendable {
    /// Whether the verb fails if the adapter of `--adapter` is missing.
    var needsAdapter: Bool { get }
    /// How pairing requests are answered. The default rejects all of them.
    var pairing: PairingPolicy { get }
    /// The keys of devices that encrypt their advertisements. The default has none.
    var keys: KeyStore { get }

    /// Whether the process waits for bluetoothd's replies before it exits.
    ///
    /// If false, the process exits when bluetoothd has received the calls. bluetoothd replies to `Disconnect` after
    /// 2 s, and a verb that only closes its link need not wait for this reply.
    func waitsForReplies(after code: ExitCode) -> Bool

    /// Returns an output that does not disturb what the verb shows on the terminal. The default is the output itself.
    func sharing(_ output: any Output) -> any Output

    /// Handles Ctrl-C. Returns whether the verb goes on; the default ends it.
    func interrupt() -> Bool

    /// Runs the verb. Completes when the verb is done; disposing undoes operations in progress.
    func run(in context: CommandContext) -> Observable<Never>
}

extension Verb {
    var needsAdapter: Bool { true }
    var pairing: PairingPolicy { PairingPolicy() }
    var keys: KeyStore { KeyStore() }
    func waitsForReplies(after code: ExitCode) -> Bool { true }
    func sharing(_ output: any Output) -> any Output { output }
    func interrupt() -> Bool { false }
}

/// A verb that connects to a device, and closes the link at its end.
protocol LinkVerb: Verb {}

extension LinkVerb {
    func waitsForReplies(after code: ExitCode) -> Bool { false }
}
