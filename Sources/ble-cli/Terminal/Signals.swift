import Glibc
import Rx

/// The signals that end the program.
///
/// While a command line or a file is read, they end the process at once. Later they are blocked in all threads, and the
/// main thread waits for them.
enum Signals {
    private static let endingSignals: [(signal: Int32, code: ExitCode)] = [
        (SIGINT, .interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
    ]

    private static let resizeHandler = Guarded<(@Sendable () -> Void)?>(nil)

    /// Sets the work that runs on the main thread when the size of the terminal has changed.
    static func onResize(_ handler: (@Sendable () -> Void)?) { resizeHandler.withLock { $0 = handler } }

    /// The signals that ``next()`` waits for.
    private static var awaited: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for end in endingSignals { unsafe sigaddset(&set, end.signal) }
        unsafe sigaddset(&set, SIGWINCH)
        return set
    }

    /// The signals that are blocked. SIGCONT continues the process also while it is blocked.
    private static var blocked: sigset_t {
        var set = awaited
        unsafe sigaddset(&set, SIGCONT)
        return set
    }

    /// Makes the signals end the process at once with their exit codes, and ignores SIGPIPE.
    ///
    /// nohup(1) starts a program that ignores SIGHUP. A later SIGHUP then still ends commands that wait for signals.
    static func endAtOnce() {
        signal(SIGPIPE, SIG_IGN)
        for end in endingSignals {
            let before = signal(end.signal) { number in _exit(128 + number) }
            let isIgnored = unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
            if isIgnored { signal(end.signal, SIG_IGN) }
        }
    }

    /// Blocks the signals, so that ``next()`` returns them.
    ///
    /// Must be called before a second thread exists, because new threads inherit the signal mask.
    static func block() {
        var set = blocked
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Runs work during which the signals end the process at once, and blocks them again.
    static func unblocked<Value>(_ work: () throws -> Value) rethrows -> Value {
        var set = blocked
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try work()
    }

    /// Waits for the next signal on the calling thread. Returns its exit code.
    static func next() -> ExitCode {
        var set = awaited
        var signal: Int32 = 0
        while true {
            guard unsafe sigwait(&set, &signal) == 0 else { continue }
            if signal == SIGWINCH { resizeHandler.withLock { $0 }?() }
            if let end = endingSignals.first(where: { $0.signal == signal }) { return end.code }
        }
    }

    /// Waits for the next signal after a pause. Signals that have arrived before or within the pause have no effect.
    static func next(after pause: Duration) -> ExitCode {
        discardPending()
        let start = ContinuousClock.now
        while true {
            let code = next()
            if ContinuousClock.now - start > pause { return code }
        }
    }

    /// Removes the signals that have arrived and were not returned yet.
    ///
    /// A busy machine may continue this process only some time after several signals were sent at once.
    private static func discardPending() {
        var set = awaited
        var limit = timespec(tv_sec: 0, tv_nsec: 0)
        while true {
            let signal = unsafe sigtimedwait(&set, nil, &limit)
            if signal < 0, errno != EINTR { return }
        }
    }
}
