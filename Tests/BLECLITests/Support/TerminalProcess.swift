import Foundation
import Glibc
import Rx
import Testing

@testable import ble_cli

/// The built program on a pseudo-terminal that the test controls, with a model of its screen.
///
/// All waiting is for output, never for a time. The program and `timeout(1)` end a test that hangs.
final class TerminalProcess: Sendable {
    /// TIOCSPTLCK and TIOCGPTN of Linux.
    private static let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    private let process: pid_t
    private let terminal: Int32
    private let content: Guarded<Content>

    private struct Content {
        var screen: ScreenModel
        var isOver = false
        var isClosed = false
    }

    /// Starts the program with an environment and a terminal of a size.
    init(
        _ arguments: String..., bus: String? = nil, environment: [String: String] = [:], columns: Int = 80,
        rows: Int = 24
    ) {
        // Swift does not import posix_openpt(3) and its companions.
        let terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: Int32 = 0
        precondition(
            unsafe terminal >= 0 && ioctl(terminal, Self.unlock, &number) == 0
                && ioctl(terminal, Self.getNumber, &number) == 0, "No terminal: \(errno)")
        let path = "/dev/pts/\(number)"
        self.terminal = terminal
        content = Guarded(Content(screen: ScreenModel(columns: columns, rows: rows)))
        Self.setSize(terminal, columns, rows)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        // The first terminal that a new session opens becomes its controlling terminal.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, path, O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        let newSession: Int16 = 0x80
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | newSession)
        let variables = ["TERM": "xterm", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": "/proc/none"]
            .merging(environment) { $1 }.merging(bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:]) { $1 }
        let words =
            ["/usr/bin/env"] + variables.map { "\($0.key)=\($0.value)" }
            + ["timeout", "--foreground", "--kill-after=30", "280", CLIProcess.path] + arguments
        var strings: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, words[0], &actions, &attributes, &strings, environ)
        precondition(failure == 0, "The program does not start: \(failure)")
        unsafe strings.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        self.process = process
    }

    deinit { if !content.withLock({ $0.isClosed }) { Glibc.close(terminal) } }

    /// Types text: characters, or the bytes of keys.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(terminal, $0.baseAddress, $0.count) }
    }

    /// Changes the size of the terminal, which sends SIGWINCH to the program.
    func resize(columns: Int, rows: Int = 24) {
        content.withLock { $0.screen.resize(columns: columns, rows: rows) }
        Self.setSize(terminal, columns, rows)
    }

    /// Closes the terminal, as if its window were closed.
    func close() {
        content.withLock { $0.isClosed = true }
        Glibc.close(terminal)
    }

    private static func setSize(_ terminal: Int32, _ columns: Int, _ rows: Int) {
        var size: (rows: UInt16, columns: UInt16, width: UInt16, height: UInt16) = (
            UInt16(rows), UInt16(columns), 0, 0
        )
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// The rows of the screen without spaces at their ends, up to the row of the cursor.
    var rows: [String] { content.withLock { $0.screen.text } }
    /// The row of the cursor with `|` at its place.
    var cursorRow: String { content.withLock { $0.screen.cursorRow } }

    /// Reads output until the row of the cursor is this text, in which `|` is the cursor.
    func waitForLine(_ line: String, _ location: SourceLocation = #_sourceLocation) async {
        await wait("the line “\(line)”", location) { $0.cursorRow == line }
    }

    /// Reads output until a row of the screen contains this text.
    func wait(for text: String, _ location: SourceLocation = #_sourceLocation) async {
        await wait("“\(text)”", location) { screen in screen.text.contains { $0.contains(text) } }
    }

    private func wait(
        _ what: String, _ location: SourceLocation, until isReached: @escaping @Sendable (ScreenModel) -> Bool
    ) async {
        let isFound = await onThread { [self] in
            while true {
                let (isReached, isOver) = content.withLock { (isReached($0.screen), $0.isOver) }
                if isReached || isOver { return isReached }
                read()
            }
        }
        if !isFound { Issue.record("\(what) is not shown:\n\(rows.joined(separator: "\n"))", sourceLocation: location) }
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(terminal, &chunk, chunk.count)
        content.withLock { content in
            // EIO: the last process on the terminal has ended.
            guard count > 0 else { return content.isOver = true }
            content.screen.write(chunk[..<count])
        }
    }

    /// Reads the output to its end, and returns the exit code.
    func end() async -> Int32 {
        await onThread { [self] in
            while !content.withLock({ $0.isOver || $0.isClosed }) { read() }
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        }
    }

    /// Runs blocking work on a thread of its own, because the threads of the test pool must not block.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
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
