import Dispatch
import Glibc
import Rx

/// A source of the lines of a shell.
protocol LineSource: Sendable {
    typealias Prompt = @Sendable () -> String

    /// Whether a person types the lines, so that prompts are printed and an error does not end the shell.
    var isInteractive: Bool { get }

    /// Emits the next line, or nil at the end of the input.
    ///
    /// - Parameters:
    ///   - prompt: Returns the present prompt, each time that the line is drawn.
    ///   - complete: Completes the text before the cursor.
    func line(
        _ prompt: @escaping Prompt, complete: @escaping @Sendable (String) -> StepCompletion.Result
    ) -> Single<String?>

    /// Returns an output that does not disturb the line that is edited.
    func sharing(_ output: any Output) -> any Output

    /// Restores the terminal. May be called from any thread and more than once.
    func close()
}

extension LineSource {
    func sharing(_ output: any Output) -> any Output { output }
}

/// Lines from standard input: edited on a terminal, and otherwise unchanged.
final class TerminalLineReader: LineSource {
    let isInteractive: Bool
    private let output = FileOutput.error
    private let history: LineHistory
    private let queue = DispatchQueue(label: "ble-cli.lines")
    private let state: Guarded<ReaderState>

    private struct ReaderState {
        var editor: LineEditor
        var decoder = TerminalKeyDecoder()
        /// The prompt of the line that is edited; nil while no line is edited.
        var prompt: Prompt?
        /// The mode of the terminal before editing; nil if it is not changed.
        var mode: termios?
    }

    init(history: LineHistory = LineHistory(path: nil)) {
        isInteractive = isatty(STDIN_FILENO) == 1 && FileOutput.error.isTerminal
        self.history = history
        let isEdited = isInteractive && FileOutput.error.size != nil
        state = Guarded(ReaderState(editor: LineEditor(history: isEdited ? history.load() : [])))
    }

    func line(
        _ prompt: @escaping Prompt, complete: @escaping @Sendable (String) -> StepCompletion.Result
    ) -> Single<String?> {
        Single.create { [self] observer in
            queue.async { [self] in
                // A terminal without control sequences has no editing of its own.
                guard isInteractive, output.size != nil else {
                    if isInteractive { try? output.write(prompt()) }
                    do throws(CLIError) { observer(.success(try Self.plainLine())) } catch { observer(.failure(error)) }
                    return
                }
                do throws(CLIError) {
                    observer(.success(try edit(prompt, complete)))
                } catch {
                    observer(.failure(error))
                }
            }
            return Disposables.create()
        }
    }

    func sharing(_ output: any Output) -> any Output {
        isInteractive && self.output.size != nil ? SharedTerminalOutput(output: output, reader: self) : output
    }

    func close() {
        Signals.onResize(nil)
        let mode = state.withLock { state in
            defer { state.mode = nil }
            state.prompt = nil
            return state.mode
        }
        guard var mode else { return }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    }

    /// Runs a function that writes whole lines. The line that is edited is removed before, and drawn again afterwards.
    fileprivate func interrupting<Failure>(_ write: () throws(Failure) -> Void) throws(Failure) {
        let result = state.withLock { state -> Result<Void, Failure> in
            guard let prompt = state.prompt else { return Self.result(write) }
            try? output.write("\r\u{1B}[K")
            let result = Self.result(write)
            draw(prompt, state.editor)
            return result
        }
        try result.get()
    }

    private static func result<Failure>(_ work: () throws(Failure) -> Void) -> Result<Void, Failure> {
        do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
    }

    /// Lets the user edit a line. The terminal reports each key while this function runs.
    ///
    /// Throws if the terminal is closed.
    private func edit(
        _ prompt: @escaping Prompt, _ complete: (String) -> StepCompletion.Result
    ) throws(CLIError) -> String? {
        enterRawMode()
        defer { close() }
        begin(prompt)
        while let byte = Self.byte() {
            guard let outcome = press(byte, prompt) else { continue }
            switch outcome {
            case .editing, .clearing: break
            case .completing: completeWord(prompt, complete)
            case .suspending:
                close()
                JobControl.suspend()
                enterRawMode()
                begin(prompt)
            case .line(let line):
                history.add(line)
                return line
            case .cancelled: return ""
            case .endOfInput: return nil
            }
        }
        // In raw mode, Ctrl-D is a key, so the end of the input means that the terminal is gone.
        throw CLIError(.hungUp, "The terminal was closed.")
    }

    private func begin(_ prompt: @escaping Prompt) {
        state.withLock { state in
            state.prompt = prompt
            draw(prompt, state.editor)
        }
        Signals.onResize { [weak self] in self?.resized() }
    }

    /// Draws the line again, because the terminal may have broken it at its new width.
    private func resized() {
        state.withLock { state in
            if let prompt = state.prompt { draw(prompt, state.editor) }
        }
    }

    /// Handles a byte of the terminal. Returns the outcome of the key that it completes.
    private func press(_ byte: UInt8, _ prompt: Prompt) -> LineEditor.Outcome? {
        state.withLock { state in
            guard let key = state.decoder.add(byte) else { return nil }
            let outcome = state.editor.press(key)
            switch outcome {
            case .editing: draw(prompt, state.editor)
            case .completing: break
            case .clearing:
                try? output.write("\u{1B}[H\u{1B}[2J")
                draw(prompt, state.editor)
            case .line, .endOfInput, .cancelled, .suspending:
                // From here on, notes of other threads do not draw the line again.
                state.prompt = nil
                let echo = outcome == .cancelled ? "^C" : outcome == .suspending ? "^Z" : ""
                try? output.write(echo + "\r\n")
            }
            return outcome
        }
    }

    private func completeWord(_ prompt: Prompt, _ complete: (String) -> StepCompletion.Result) {
        let before = state.withLock { $0.editor.beforeCursor }
        let result = complete(before)
        state.withLock { state in
            state.editor.replaceBeforeCursor(with: result.line)
            if result.line == before, !result.choices.isEmpty {
                let columns = output.size?.columns ?? 80
                let shown = result.choices.prefix(50).map { TextWidth.cut(Sanitiser.clean($0), to: columns) }
                let more =
                    result.choices.count > shown.count ? ["and \(result.choices.count - shown.count) more"] : []
                try? output.write("\r\n" + (shown + more).map { $0 + "\r\n" }.joined())
            }
            draw(prompt, state.editor)
        }
    }

    private func draw(_ prompt: Prompt, _ editor: LineEditor) {
        try? output.write(editor.drawn(after: prompt(), in: output.size?.columns ?? 80))
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

    /// The largest length of a line that is not edited.
    private static let longestLine = 65536

    /// Reads a line without editing. Returns nil at the end of the input. Skips a line that is too long, and throws.
    private static func plainLine() throws(CLIError) -> String? {
        var bytes: [UInt8] = []
        while let byte = byte() {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            // The beginning of a longer line could be another step than the whole line.
            guard bytes.count < longestLine else {
                while let byte = Self.byte(), byte != UInt8(ascii: "\n") {}
                throw CLIError(.usage, "The line has more than \(longestLine) bytes. Give a shorter one.")
            }
            bytes.append(byte)
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

/// An output on the terminal on which a line is edited.
private struct SharedTerminalOutput: Output {
    let output: any Output
    let reader: TerminalLineReader

    var size: TerminalSize? { output.size }
    var isTerminal: Bool { output.isTerminal }

    func write(_ text: String) throws { try reader.interrupting { try output.write(text) } }

    func write(bytes: [UInt8]) throws { try reader.interrupting { try output.write(bytes: bytes) } }
}
