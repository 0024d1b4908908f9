import Dispatch
import Glibc

/// A command that runs as a child process with the streams of this process.
struct ChildCommand: Sendable {
    private let process: pid_t

    /// Starts a command, which is searched in PATH.
    ///
    /// - Parameter environment: Variables that are added to those of this process.
    static func start(_ words: [String], adding environment: [String: String]) throws(CLIError) -> ChildCommand {
        let name = words.first ?? ""
        // The child gets the default signal handling: this process blocks the signals and ignores SIGPIPE.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        unsafe sigaddset(&defaults, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        for (key, value) in environment { unsafe setenv(key, value, 1) }
        var strings: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe strings.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawnp(&process, name, nil, &attributes, &strings, environ)
        guard failure == 0 else {
            throw CLIError(
                .usage,
                "“\(name)” cannot be run: \(unsafe String(cString: strerror(failure))). Give a program and its "
                    + "arguments after --.")
        }
        return ChildCommand(process: process)
    }

    /// Calls `onEnd` with the exit code when the command has ended; 128 and the signal if a signal ended it.
    func onExit(_ onEnd: @escaping @Sendable (Int32) -> Void) {
        // A separate thread waits, because waitpid(2) blocks.
        DispatchQueue(label: "ble-cli.child").async {
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            onEnd(status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F))
        }
    }

    /// Sends a signal to the command.
    func send(_ signal: Int32) { kill(process, signal) }
}
