import Foundation
import Glibc
import Rx

/// What the tests need to run programs: starting them, and waiting for them.
enum ChildProcess {
    /// Starts a program, and returns its process.
    ///
    /// The child does not inherit the signal mask, because the threads of the test pool block all signals. timeout(1)
    /// ends a program that hangs, so the test fails instead of waiting. Test machines can be busy, so a program also
    /// has this time after a signal, which timeout(1) passes on.
    ///
    /// - Parameters:
    ///   - leadsSession: Whether the program is the leader of a new session with its standard input as the
    ///     controlling terminal. timeout(1) is in another session: it would send Ctrl-C to the program again, at
    ///     any moment.
    ///   - files: Sets the descriptors of the child.
    static func start(
        _ path: String, _ arguments: [String], environment: [String: String], leadsSession: Bool = false,
        files: (inout posix_spawn_file_actions_t) -> Void
    ) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe files(&actions)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let session = leadsSession ? ["setsid", "--ctty"] : []
        let words =
            ["/usr/bin/env"] + environment.map { "\($0.key)=\($0.value)" }
            + ["timeout", "--foreground", "--kill-after=280", "280"] + session + [path] + arguments
        var strings: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, words[0], &actions, &attributes, &strings, environ)
        precondition(failure == 0, "\(path) does not start: \(failure)")
        unsafe strings.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        return process
    }

    /// Waits for the end of a process. Returns its exit code, or its signal as a negative number.
    static func exitCode(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }

    /// Runs blocking work on a thread of its own, because the threads of the test pool must not block.
    static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        let value = Guarded<Value?>(nil)
        await withCheckedContinuation { waiter in
            Thread.detachNewThread {
                let made = work()
                value.withLock { $0 = made }
                waiter.resume()
            }
        }
        return value.withLock { $0! }
    }
}
