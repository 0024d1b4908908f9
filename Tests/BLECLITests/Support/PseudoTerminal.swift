import Foundation
import Glibc
import Rx

@testable import ble_cli

/// The built program on a pseudo-terminal of its own, with its output as bytes and the mode of the terminal.
final class PseudoTerminal: Sendable {
    private let process: pid_t
    private let terminal: Int32

    // Swift does not import TIOCSPTLCK, TIOCGPTN and POSIX_SPAWN_SETSID. Source: ioctl_tty(2), spawn.h.
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430
    private static let newSession: Int16 = 0x80

    /// The output and the exit code of a run.
    struct End: Sendable {
        let code: Int32
        let output: String
        /// Whether the terminal has the mode from before the program.
        let isRestored: Bool
    }

    init(_ arguments: String..., size: TerminalSize = TerminalSize(columns: 80, rows: 24)) {
        terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        let unlocked = unsafe ioctl(terminal, Self.lock, &isLocked)
        let numbered = unsafe ioctl(terminal, Self.number, &number)
        precondition(terminal >= 0 && unlocked == 0 && numbered == 0, "There is no pseudo-terminal.")
        Self.setSize(size, of: terminal)
        let name = "/dev/pts/\(number)"
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        // The first terminal that the leader of a session opens becomes its controlling terminal.
        unsafe posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Self.newSession)
        // timeout(1) ends a program that hangs, so the test fails instead of waiting. Test machines can be busy.
        let words =
            [
                "/usr/bin/env", "TERM=xterm", "LC_ALL=C.UTF-8", "timeout", "--foreground", "--kill-after=30", "280",
                CLIProcess.path,
            ] + arguments
        var strings: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, words[0], &actions, &attributes, &strings, environ)
        precondition(failure == 0, "The program does not start: \(failure)")
        unsafe strings.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        self.process = process
    }

    /// Types keys.
    func type(_ text: String) { _ = unsafe text.withCString { unsafe write(terminal, $0, strlen($0)) } }

    /// Sends a signal to all processes of the terminal.
    func signal(_ number: Int32) { kill(-process, number) }

    /// Changes the size of the terminal.
    func resize(_ size: TerminalSize) { Self.setSize(size, of: terminal) }

    private static func setSize(_ size: TerminalSize, of terminal: Int32) {
        var size = (rows: UInt16(size.rows), columns: UInt16(size.columns), width: UInt16(0), height: UInt16(0))
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// Reads output until a text was written. Returns the output; it ends earlier if the program ends.
    func output(until text: String) async -> String {
        await Self.onThread { [self] in
            var output: [UInt8] = []
            while !String(decoding: output, as: UTF8.self).contains(text), let more = read() { output += more }
            return String(decoding: output, as: UTF8.self)
        }
    }

    /// Whether the terminal waits for whole lines and prints what is typed, as before the program.
    private var isRestored: Bool {
        var mode = termios()
        guard unsafe tcgetattr(terminal, &mode) == 0 else { return false }
        return mode.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// Reads the output to its end, and waits for the exit.
    func end() async -> End {
        await Self.onThread { [self] in
            var output: [UInt8] = []
            while let more = read() { output += more }
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            let isRestored = isRestored
            close(terminal)
            let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
            return End(code: code, output: String(decoding: output, as: UTF8.self), isRestored: isRestored)
        }
    }

    /// Closes the terminal, as a window does, and returns the exit code.
    func closeTerminal() async -> Int32 {
        close(terminal)
        return await Self.onThread { [self] in
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        }
    }

    /// Returns the next output; nil when the last process has closed the terminal, which the kernel reports as EIO.
    private func read() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe Glibc.read(terminal, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(chunk[..<count]) : nil
        }
    }

    /// Runs blocking work on a thread of its own, because the threads of the test pool must not block.
    private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
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
