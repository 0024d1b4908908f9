import Dispatch
import Rx
import RxBluetooth

/// What a verb works with. It knows neither the process nor the terminal, so that a test can run it.
struct CommandContext: Sendable {
    let manager: BluetoothManager
    /// Where the manager delivers, and the clock.
    let scheduler: any SchedulerType
    let output: any Output
    let options: Options
    /// Where a person is told what happens meanwhile.
    let messages: Messages

    /// Tells a person something in one line.
    func note(_ text: String) { messages.note(text) }

    /// What the common options say.
    struct Options: Sendable {
        var adapter = AdapterSelection.automatic
        /// The time limit; nil where none was given.
        var timeout: Duration?
        var json = false
        var isVerbose = false

        /// How long finding, connecting and discovering may take.
        var patience: Duration { timeout ?? .seconds(10) }

        /// The library's deadlines with that limit: a peripheral that does not answer is given up as early.
        var deadlines: Deadlines {
            var deadlines = Deadlines()
            deadlines.connect = patience
            deadlines.services = patience
            deadlines.operation = patience
            if let timeout { deadlines.diagnosis = timeout }
            // A person may have to press a button first.
            if let timeout { deadlines.pair = timeout }
            return deadlines
        }
    }

    /// A timer on the context's clock that fires once.
    func timer(_ duration: Duration) -> Observable<Int> {
        Observable<Int>.timer(duration.interval, scheduler: scheduler)
    }
}

/// Something that the program can do. It completes when it is done; disposing of it undoes what it has under way.
protocol Verb: Sendable {
    /// Whether it can do nothing without the adapter that was asked for.
    var needsAdapter: Bool { get }
    /// How to answer what bluetoothd asks about pairings. Where nothing is said: agree to nothing.
    var pairing: PairingPolicy { get }

    /// Whether bluetoothd's answers are waited for when the verb has ended, and not only its having received what undoes the
    /// verb. It answers `Disconnect` after 2 s, and nothing depends on that; a verb that only closes its link does not wait.
    func waitsForAnswers(after code: ExitCode) -> Bool

    func run(in context: CommandContext) -> Observable<Never>
}

extension Verb {
    var needsAdapter: Bool { true }
    var pairing: PairingPolicy { PairingPolicy() }
    func waitsForAnswers(after code: ExitCode) -> Bool { true }
}

/// A verb that works over a link and closes it in the end.
protocol LinkVerb: Verb {}

extension LinkVerb {
    func waitsForAnswers(after code: ExitCode) -> Bool { false }
}
