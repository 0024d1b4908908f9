import Rx
import RxBluetooth

/// Runs one verb, and decides the exit code.
///
/// The first of four events ends the run and sets the exit code: the verb completes, the verb fails, a signal arrives,
/// or the reader closes the output. Then the runner undoes operations in progress. It ends when bluetoothd has
/// received the calls for that and, if the verb requires it, has replied.
final class CommandRunner: Sendable {
    private let context: CommandContext
    private let messages: Messages
    private let onEnd: @Sendable (ExitCode) -> Void
    private let state = Guarded(RunState())

    /// The time limit for undoing. By then bluetoothd has received all calls; only replies may be missing.
    private static let cleanupTimeout = Duration.seconds(5)

    private struct RunState {
        /// The exit code, once it is decided.
        var code: ExitCode?
        /// Whether the verb's results and its error are printed.
        var hasPrinted = false
        var work: (any Disposable)?
        var waitsForReplies: @Sendable (ExitCode) -> Bool = { _ in true }
    }

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - messages: Receives the error if the verb fails.
    ///   - onEnd: Called once, on the context's scheduler, after everything is undone.
    init(_ context: CommandContext, messages: Messages, onEnd: @escaping @Sendable (ExitCode) -> Void) {
        self.context = context
        self.messages = messages
        self.onEnd = onEnd
    }

    func start(_ verb: any Verb) {
        state.withLock { $0.waitsForReplies = { verb.waitsForReplies(after: $0) } }
        let check = verb.needsAdapter ? AdapterCheck().run(in: context) : .empty()
        let work = check.concat(Observable.deferred { [context] in verb.run(in: context) })
            .subscribe(
                onError: { self.end($0) },
                onCompleted: { self.end(.done) })
        let isEnding = state.withLock {
            $0.work = work
            return $0.code != nil
        }
        if isEnding { work.dispose() }
    }

    /// The exit code if everything is printed and only the undoing is left; nil before.
    var resultCode: ExitCode? { state.withLock { $0.hasPrinted ? $0.code : nil } }

    /// Ends the run with an exit code. May be called from any thread and more than once.
    func stop(_ code: ExitCode) {
        // Runs on the scheduler, so that a line that is being written there is not cut.
        _ = context.scheduler.schedule(()) { _ in
            self.end(code)
            return Disposables.create()
        }
    }

    private func end(_ error: any Error) {
        if error is OutputClosed { return end(.done) }
        if let failure = error as? PrintedFailure { return end(failure.code) }
        let error = CLIError(error)
        end(error.code, error)
    }

    private func end(_ code: ExitCode, _ error: CLIError? = nil) {
        let (isFirst, work, waitsForReplies) = state.withLock { state in
            defer { state.code = state.code ?? code }
            // After a missing reply, the end of the link shows whether bluetoothd has lost the operation.
            return (state.code == nil, state.work, code == .timedOut || state.waitsForReplies(code))
        }
        guard isFirst else { return }
        work?.dispose()
        if let error { messages.fail(error) }
        state.withLock { $0.hasPrinted = true }
        let manager = context.manager
        let undone = waitsForReplies ? manager.settled() : manager.delivered()
        let timedOut = context.timer(Self.cleanupTimeout).ignoreElements()
        _ = undone.asObservable().catch { _ in .empty() }.amb(timedOut)
            .subscribe(onCompleted: {
                // Does not wait for the manager to close: closing continues in the background until the process exits.
                _ = manager.close().subscribe()
                self.onEnd(code)
            })
    }
}

/// A check that fails if the adapter of `--adapter` is missing while other adapters are present.
///
/// The check completes if the adapter is present, if `--adapter` is not given, and if there is no adapter at all. In
/// the last case, the verb that runs next reports the cause.
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
                    "There is no adapter \(selection.text); available adapters: \(present.joined(separator: ", ")). "
                        + "Plug it in, or select another one.")
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
