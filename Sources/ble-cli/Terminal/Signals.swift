import Glibc

/// Signals that ask the program to end. They are blocked in all threads and fetched by the main one, so no handler ever
/// interrupts anything, and libdispatch's idea of signals does not matter.
enum Signals {
    private static let ends: [(signal: Int32, code: ExitCode)] = [
        (SIGINT, .interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
    ]

    private static var set: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for end in ends { unsafe sigaddset(&set, end.signal) }
        return set
    }

    /// To be called before there is a second thread, for threads inherit it. A broken pipe is then an error of write(2).
    static func block() {
        var set = set
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for the next one on the calling thread.
    static func next() -> ExitCode {
        var set = set
        var signal: Int32 = 0
        while true {
            guard unsafe sigwait(&set, &signal) == 0 else { continue }
            if let end = ends.first(where: { $0.signal == signal }) { return end.code }
        }
    }

    /// Waits for the next one that comes so long after now. What comes earlier is the same wish: timeout(1) and a terminal's
    /// group send it twice.
    static func next(after pause: Duration) -> ExitCode {
        let start = ContinuousClock.now
        while true {
            let code = next()
            if ContinuousClock.now - start > pause { return code }
        }
    }
}
