import Rx
import RxBluetooth

/// One verb from start to end. Whatever ends it first decides the exit code: the verb itself, an error, a signal, or the
/// reader of the output. Then what the verb has under way is undone, and bluetoothd has answered, before it is over.
final class Run: Sendable {
    private let session: Session
    private let errors: any Output
    private let over: @Sendable (ExitCode) -> Void
    private let state = Guarded(State())

    /// How long undoing may take. bluetoothd is told in any case; only its answer is not waited for any longer.
    private static let patience = Duration.seconds(3)

    private struct State {
        var isEnding = false
        var work: (any Disposable)?
    }

    /// Makes a run.
    ///
    /// - Parameters:
    ///   - errors: Where the one line goes that tells why it failed.
    ///   - over: Called once, on the session's scheduler, when nothing is left to be undone.
    init(_ session: Session, errors: any Output, over: @escaping @Sendable (ExitCode) -> Void) {
        self.session = session
        self.errors = errors
        self.over = over
    }

    func start(_ verb: any Verb) {
        let check = verb.needsAdapter ? AdapterCheck().run(in: session) : .empty()
        let work = check.concat(Observable.deferred { [session] in verb.run(in: session) })
            .subscribe(
                onError: { self.end($0) },
                onCompleted: { self.end(.done) })
        let isEnding = state.withLock {
            $0.work = work
            return $0.isEnding
        }
        if isEnding { work.dispose() }
    }

    /// Ends it from outside: from any thread, any number of times.
    func stop(_ code: ExitCode) {
        // On the scheduler, so that it does not cut a line in two that is being written there.
        _ = session.scheduler.schedule(()) { _ in
            self.end(code)
            return Disposables.create()
        }
    }

    private func end(_ error: any Error) {
        if error is OutputClosed { return end(.done) }
        let failure = Failure(error)
        end(failure.code, failure.text)
    }

    private func end(_ code: ExitCode, _ line: String? = nil) {
        let (isFirst, work) = state.withLock { state in
            defer { state.isEnding = true }
            return (!state.isEnding, state.work)
        }
        guard isFirst else { return }
        work?.dispose()
        if let line { errors.complain(line) }
        let manager = session.manager
        let undone = Observable<Never>.concat(
            manager.settled().asObservable().catch { _ in .empty() },
            manager.close().asObservable().catch { _ in .empty() })
        let tooLate = session.timer(Self.patience).ignoreElements()
        _ = undone.amb(tooLate).subscribe(onCompleted: { self.over(code) })
    }
}

extension Output {
    /// Tells a person in one line what went wrong. Where nobody listens there is nobody to tell that.
    func complain(_ text: String) { try? line("ble-cli: " + Sanitiser.clean(text)) }
}
