import CoreFoundation
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
    static func exitCode(of process: pid_t) -> Int32 { end(of: process).code }

    /// Waits for the end of a process.
    ///
    /// - Returns: Its exit code, or its signal as a negative number, and the CPU time that it and the children that it
    ///   waited for have used.
    static func end(of process: pid_t) -> (code: Int32, cpuTime: Duration) {
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
        let times = [usage.ru_utime, usage.ru_stime].map { Duration.seconds($0.tv_sec) + .microseconds($0.tv_usec) }
        return (status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F), times[0] + times[1])
    }

    /// Waits before a state of a process is read again, so that the tests leave the processor to it.
    static func pause() { usleep(2_000) }

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

/// What the kernel knows about a process.
struct ProcessState {
    /// R: a thread runs, S: it waits, T: it is stopped, Z: it has ended.
    let letter: Character
    /// The CPU time of all its threads.
    let cpuTime: Duration

    /// Reads the state; nil if there is no such process.
    init?(of process: pid_t) {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].dropFirst().split(separator: " ")
        guard fields.count > 12, let letter = fields[0].first, let user = Int(fields[11]), let system = Int(fields[12])
        else { return nil }
        self.letter = letter
        let ticks = Duration.milliseconds((user + system) * 1_000 / sysconf(Int32(_SC_CLK_TCK)))
        cpuTime = Self.cpuTime(of: process) ?? ticks
    }

    /// The CPU time of a process, to the nanosecond; nil if there is no such process.
    private static func cpuTime(of process: pid_t) -> Duration? {
        var clock = clockid_t()
        var time = timespec()
        guard unsafe clock_getcpuclockid(process, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
            return nil
        }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
