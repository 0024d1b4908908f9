import Rx
import Testing

@testable import ble_cli

/// The built program on a pseudo-terminal that the test controls, with a model of its screen.
///
/// All waiting is for output, never for a time. The program and `timeout(1)` end a test that hangs.
final class TerminalProcess: Sendable {
    private let terminal: PseudoTerminal
    private let content: Guarded<Content>

    private struct Content {
        var screen: ScreenModel
        var isOver = false
        var isClosed = false
    }

    /// Starts the program, or another one, with an environment and a terminal of a size.
    init(
        _ arguments: String..., program: String = CLIProcess.path, bus: String? = nil,
        environment: [String: String] = [:], columns: Int = 80,
        rows: Int = 24
    ) {
        terminal = PseudoTerminal(
            list: arguments, program: program,
            environment: environment.merging(bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:]) { $1 },
            size: TerminalSize(columns: columns, rows: rows))
        content = Guarded(Content(screen: ScreenModel(columns: columns, rows: rows)))
    }

    deinit { if !content.withLock({ $0.isClosed }) { terminal.closeFile() } }

    /// Types text: characters, or the bytes of keys.
    func type(_ text: String) { terminal.type(text) }

    /// Changes the size of the terminal, which sends SIGWINCH to the program.
    func resize(columns: Int, rows: Int = 24) {
        content.withLock { $0.screen.resize(columns: columns, rows: rows) }
        terminal.resize(TerminalSize(columns: columns, rows: rows))
    }

    /// Closes the terminal, as if its window were closed.
    func close() {
        content.withLock { $0.isClosed = true }
        terminal.closeFile()
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
        let isFound = await ChildProcess.onThread { [self] in
            while true {
                let (isReached, isOver) = content.withLock { (isReached($0.screen), $0.isOver) }
                if isReached || isOver { return isReached }
                read()
            }
        }
        if !isFound { Issue.record("\(what) is not shown:\n\(rows.joined(separator: "\n"))", sourceLocation: location) }
    }

    private func read() {
        let chunk = terminal.read()
        content.withLock { content in
            guard let chunk else { return content.isOver = true }
            content.screen.write(chunk[...])
        }
    }

    /// Reads the output to its end, and returns the exit code.
    func end() async -> Int32 {
        await ChildProcess.onThread { [self] in while !content.withLock({ $0.isOver || $0.isClosed }) { read() } }
        return await terminal.exitCode()
    }
}
