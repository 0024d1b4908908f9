import Glibc

@testable import ble_cli

/// The built program on a pseudo-terminal of its own, with its output as bytes and the mode of the terminal.
final class PseudoTerminal: Sendable {
    private let process: pid_t
    private let terminal: Int32

    // Swift does not import TIOCSPTLCK and TIOCGPTN. Source: ioctl_tty(2).
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// The output and the exit code of a run.
    struct End: Sendable {
        let code: Int32
        let output: String
        /// Whether the terminal has the mode from before the program.
        let isRestored: Bool
    }

    convenience init(_ arguments: String..., size: TerminalSize = TerminalSize(columns: 80, rows: 24)) {
        self.init(list: arguments, size: size)
    }

    /// Starts the program with variables in addition to those of the test, and with a terminal of a size.
    init(
        list arguments: [String], program: String = CLIProcess.path, environment: [String: String] = [:],
        size: TerminalSize
    ) {
        // Swift does not import posix_openpt(3) and its companions.
        terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        let unlocked = unsafe ioctl(terminal, Self.lock, &isLocked)
        let numbered = unsafe ioctl(terminal, Self.number, &number)
        precondition(terminal >= 0 && unlocked == 0 && numbered == 0, "There is no pseudo-terminal.")
        Self.setSize(size, of: terminal)
        let variables = ["TERM": "xterm", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": "/proc/none"]
        let name = "/dev/pts/\(number)"
        process = unsafe ChildProcess.start(
            program, arguments, environment: variables.merging(environment) { $1 }, leadsSession: true
        ) { actions in
            unsafe posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }
    }

    /// Types keys.
    func type(_ text: String) { _ = unsafe text.withCString { unsafe write(terminal, $0, strlen($0)) } }

    /// Sends a signal to the program; timeout(1) passes it on.
    func signal(_ number: Int32) { kill(process, number) }

    /// Changes the size of the terminal.
    func resize(_ size: TerminalSize) { Self.setSize(size, of: terminal) }

    private static func setSize(_ size: TerminalSize, of terminal: Int32) {
        var size = (rows: UInt16(size.rows), columns: UInt16(size.columns), width: UInt16(0), height: UInt16(0))
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// Reads output until a text was written. Returns the output; it ends earlier if the program ends.
    func output(until text: String) async -> String {
        await ChildProcess.onThread { [self] in
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
        await ChildProcess.onThread { [self] in
            var output: [UInt8] = []
            while let more = read() { output += more }
            let code = ChildProcess.exitCode(of: process)
            let isRestored = isRestored
            close(terminal)
            return End(code: code, output: String(decoding: output, as: UTF8.self), isRestored: isRestored)
        }
    }

    /// Closes the terminal, as a window does, and returns the exit code.
    func closeTerminal() async -> Int32 {
        close(terminal)
        return await exitCode()
    }

    /// Waits for the end of the program, and returns its exit code.
    func exitCode() async -> Int32 { await ChildProcess.onThread { [process] in ChildProcess.exitCode(of: process) } }

    /// Closes the terminal.
    func closeFile() { close(terminal) }

    /// Returns the next output; nil when the last process has closed the terminal, which the kernel reports as EIO.
    func read() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe Glibc.read(terminal, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(chunk[..<count]) : nil
        }
    }
}
