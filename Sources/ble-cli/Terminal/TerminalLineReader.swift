import Dispatch
import Glibc
import Rx

/// A source of the lines of a shell.
protocol LineSource: Sendable {
    /// Whether a person types the lines, so that prompts are printed and an error does not end the shell.
    var isInteractive: Bool { get }

    /// Emits the next line, or nil at the end of the input.
    ///
    /// - Parameter complete: Completes the text before the cursor.
    func line(
        _ prompt: String, complete: @escaping @Sendable (String) -> StepCompletion.Result
    ) -> Single<String?>

    /// Restores the terminal. May be called from any thread and more than once.
    func close()
}

/// Lines from standard input: edited on a terminal, and otherwise unchanged.
final class TerminalLineReader: LineSource {
    let isInteractive: Bool
    private let output = FileOutput.error
    private let queue = DispatchQueue(label: "ble-cli.lines")
    private let state = Guarded(ReaderState())

    private struct ReaderState {
        var editor = LineEditor()
        var decoder = TerminalKeyDecoder()
        /// The mode of the terminal before editing; nil if it is not changed.
        var mode: termios?
    }

    init() { isInteractive = isatty(STDIN_FILENO) == 1 && FileOutput.error.isTerminal }

    func line(
        _ prompt: String, complete: @escaping @Sendable (String) -> StepCompletion.Result
    ) -> Single<String?> {
        Single.create { [self] observer in
            queue.async { [self] in
                // A terminal without control sequences has no editing of its own.
                guard isInteractive, output.size != nil else {
                    if isInteractive { try? output.write(prompt) }
                    return observer(.success(Self.plainLine()))
                }
                observer(.success(edit(prompt, complete)))
            }
            return Disposables.create()
        }
    }

    func close() {
        let mode = state.withLock { state in
            defer { state.mode = nil }
            return state.mode
        }
        guard var mode else { return }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    /// Lets the user edit a line. The terminal reports each key while this function runs.
    private func edit(_ prompt: String, _ complete: (String) -> StepCompletion.Result) -> String? {
        enterRawMode()
        defer { close() }
        draw(prompt)
        while let byte = Self.byte() {
            guard let key = state.withLock({ $0.decoder.add(byte) }) else { continue }
            switch state.withLock({ $0.editor.press(key) }) {
            case .editing: draw(prompt)
            case .completing: completeWord(prompt, complete)
            case .clearing:
                try? output.write("\u{1B}[H\u{1B}[2J")
                draw(prompt)
            case .line(let line):
                try? output.write("\r\n")
                return line
            case .cancelled:
                try? output.write("^C\r\n")
                return ""
            case .endOfInput:
                try? output.write("\r\n")
                return nil
            }
        }
        return nil
    }

    private func completeWord(_ prompt: String, _ complete: (String) -> StepCompletion.Result) {
        let before = state.withLock { $0.editor.beforeCursor }
        let result = complete(before)
        state.withLock { $0.editor.replaceBeforeCursor(with: result.line) }
        if result.line == before, !result.choices.isEmpty {
            let columns = output.size?.columns ?? 80
            let shown = result.choices.prefix(50).map { TextWidth.cut(Sanitiser.clean($0), to: columns) }
            let more = result.choices.count > shown.count ? ["and \(result.choices.count - shown.count) more"] : []
            try? output.write("\r\n" + (shown + more).map { $0 + "\r\n" }.joined())
        }
        draw(prompt)
    }

    private func draw(_ prompt: String) {
        let columns = output.size?.columns ?? 80
        try? output.write(state.withLock { $0.editor.drawn(after: prompt, in: columns) })
    }

    private func enterRawMode() {
        var mode = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        let old = mode
        unsafe cfmakeraw(&mode)
        // Output keeps its line breaks, because other threads print notes meanwhile.
        mode.c_oflag |= tcflag_t(OPOST)
        state.withLock { $0.mode = old }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    /// Reads a line without editing. Returns nil at the end of the input.
    private static func plainLine() -> String? {
        var bytes: [UInt8] = []
        while let byte = byte() {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            // A longer line is no step; its rest is dropped.
            if bytes.count < 65536 { bytes.append(byte) }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func byte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? byte : nil
        }
    }
}
