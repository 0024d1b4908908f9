import Rx
import RxBluetooth

/// One verb from start to end. Whatever ends it first decides the exit code: the verb itself, an error, a signal, or the
/// reader of the output. Then what the verb has under way is undone, and bluetoothd has received that, before it is over.
final class CommandRunner: Sendable {
    private let context: CommandContext
    private let messages: Messages
    private let over: @Sendable (ExitCode) -> Void
    private let state = Guarded(State())

    /// How long undoing may take. bluetoothd is told in any case; only its answer is not waited for any longer.
    private static let patience = Duration.seconds(3)

    private struct State {
        /// The exit code, once it is decided.
        var ending: ExitCode?
        /// Whether everything that it had to print is printed.
        var hasPrinted = false
        var work: (any Disposable)?
        var waits: @Sendable (ExitCode) -> Bool = { _ in true }
    }

    /// Makes a run.
    ///
    /// - Parameters:
    ///   - messages: Where the one line goes that tells why it failed.
    ///   - over: Called once, on the context's scheduler, when nothing is left to be undone.
    init(_ context: CommandContext, messages: Messages, over: @escaping @Sendable (ExitCode) -> Void) {
        self.context = context
        self.messages = messages
        self.over = over
    }

    func start(_ verb: any Verb) {
        state.withLock { $0.waits = { verb.waitsForAnswers(after: $0) } }
        let check = verb.needsAdapter ? AdapterCheck().run(in: context) : .empty()
        let work = check.concat(Observable.deferred { [context] in verb.run(in: context) })
            .subscribe(
                onError: { self.end($0) },
                onCompleted: { self.end(.done) })
        let isEnding = state.withLock {
            $0.work = work
            return $0.ending != nil
        }
        if isEnding { work.dispose() }
    }

    /// The exit code, if it has ended and waits only for what it had under way to be undone.
    var ending: ExitCode? { state.withLock { $0.hasPrinted ? $0.ending : nil } }

    /// Ends it from outside: from any thread, any number of times.
    func stop(_ code: ExitCode) {
        // On the scheduler, so that it does not cut a line in two that is being written there.
        _ = context.scheduler.schedule(()) { _ in
            self.end(code)
            return Disposables.create()
        }
    }

    private func end(_ error: any Error) {
        if error is OutputClosed { return end(.done) }
        let failure = CLIError(error)
        end(failure.code, failure)
    }

    private func end(_ code: ExitCode, _ failure: CLIError? = nil) {
        let (isFirst, work, waits) = state.withLock { state in
            defer { state.ending = state.ending ?? code }
            return (state.ending == nil, state.work, state.waits(code))
        }
        guard isFirst else { return }
        work?.dispose()
        if let failure { messages.fail(failure) }
        state.withLock { $0.hasPrinted = true }
        let manager = context.manager
        let undone = waits ? manager.settled() : manager.delivered()
        let tooLate = context.timer(Self.patience).ignoreElements()
        _ = undone.asObservable().catch { _ in .empty() }.amb(tooLate)
            .subscribe(onCompleted: {
                // It goes on in the background for as long as the process lives.
                _ = manager.close().subscribe()
                self.over(code)
            })
    }
}

/// Completes where the adapter that was asked for is there, or none was asked for. Fails where others are there.
/// Where there is none at all, the verb itself tells why.
struct AdapterCheck: Verb {
    func run(in context: CommandContext) -> Observable<Never> {
        let selection = context.options.adapter
        guard selection != .automatic else { return .empty() }
        return context.manager.adapters.take(1)
            .do(onNext: { adapters in
                guard !adapters.isEmpty, !adapters.contains(where: \.isSelected) else { return }
                let present = adapters.map { adapter in
                    adapter.address.map { "\(adapter.name) (\($0))" } ?? adapter.name
                }
                throw CLIError(
                    .notFound,
                    "There is no adapter \(selection.text). There is \(present.joined(separator: ", ")).")
            })
            .ignoreElements()
    }
}

extension AdapterSelection {
    fileprivate var text: String {
        switch self {
        case .automatic: "at all"
        case .named(let name): "“\(name)”"
        case .address(let address): address.description
        }
    }
}
