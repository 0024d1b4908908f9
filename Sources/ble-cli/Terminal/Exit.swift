import Glibc

/// The end of the process.
enum Exit {
    static func now(_ code: ExitCode) -> Never {
        // Nothing is kept back in buffers, and other threads may still run: what exit(3) would do besides is not wanted.
        _exit(code.rawValue)
    }
}
