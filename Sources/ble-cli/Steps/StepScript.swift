import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The steps of scripts and of the shell.
enum StepLanguage {
    static let commands: [any StepCommand.Type] = [
        ConnectStep.self, DisconnectStep.self, InfoStep.self, ServicesStep.self, ReadStep.self, WriteStep.self,
        SubscribeStep.self,
        WaitStep.self, NotifyStep.self, PauseStep.self, ScanStep.self, PairStep.self, TrustStep.self,
        ForgetStep.self, PowerStep.self, DecodeCommand.self,
    ]

    static var names: [String] { commands.map(name) }

    static func name(_ command: any StepCommand.Type) -> String { command.configuration.commandName ?? "" }

    /// Reads a line. Returns nil for an empty line and a comment.
    ///
    /// - Parameter acceptsHelp: Whether a step with --help prints its help; otherwise it is an error.
    static func parse(_ line: String, acceptsHelp: Bool = false) throws(CLIError) -> (any SessionStep)? {
        do throws(CLIError) {
            return try parsed(line, acceptsHelp)
        } catch {
            throw error.withoutKeys
        }
    }

    private static func parsed(_ line: String, _ acceptsHelp: Bool) throws(CLIError) -> (any SessionStep)? {
        let words = try StepLine.words(line)
        guard let verb = words.first else { return nil }
        guard let command = commands.first(where: { name($0) == verb }) else {
            throw unknownStep(verb)
        }
        let step: any StepCommand
        do {
            step = try command.parse(Array(words.dropFirst()))
        } catch {
            if command.exitCode(for: error).isSuccess {
                guard acceptsHelp else { throw CLIError(.usage, "--help is for the shell. \(usage(command))") }
                return StepFunction { session in
                    try printHelp(help(verb, columns: session.context.output.size?.columns), in: session.context)
                    return .empty()
                }
            }
            throw failure(error, command)
        }
        return try step.step()
    }

    private static func unknownStep(_ word: String) -> CLIError {
        let meant = UnknownCommand.suggestion(for: word, in: names)
        return CLIError(.usage, "“\(word)” is not a step.\(meant) Give one of \(names.joined(separator: ", ")).")
    }

    /// Prints a help text. With `--json` it is a note, because standard output has only objects.
    static func printHelp(_ text: String, in context: CommandContext) throws {
        guard context.options.json else { return try context.output.write(text) }
        context.note(text)
    }

    /// The commands of the shell that are not steps.
    private static let shellCommands = [
        ("help", "List the steps, or explain one: help STEP."), ("quit", "End the shell; also exit, or Ctrl-D."),
    ]

    /// Returns the help text of a step, or a list of all steps, in lines of at most `columns` characters.
    static func help(_ verb: String?, columns: Int?) throws(CLIError) -> String {
        guard let verb else {
            let width = (names.map(\.count).max() ?? 0) + 2
            let list = commands.map { (name($0), $0.configuration.abstract) } + shellCommands
            let lines = list.flatMap { name, text in
                TextWidth.wrap(TextWidth.fit(name, to: width) + text, to: max(columns ?? .max, 20), indent: width)
            }
            return lines.joined(separator: "\n") + "\n"
        }
        if let own = shellCommands.first(where: { $0.0 == verb || ($0.0 == "quit" && verb == "exit") }) {
            return "\(own.1)\n"
        }
        guard let command = commands.first(where: { name($0) == verb }) else {
            throw unknownStep(verb).withoutKeys
        }
        guard let columns else { return command.helpMessage() + "\n" }
        // The parser does not break the line with the usage.
        let lines = command.helpMessage(columns: max(columns, 20)).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.flatMap { line in
            TextWidth.of(String(line)) > columns
                ? TextWidth.wrap(String(line), to: max(columns, 20), indent: 4) : [String(line)]
        }
        .joined(separator: "\n") + "\n"
    }

    /// Returns the parser's error as one line.
    private static func failure(_ error: any Error, _ command: any StepCommand.Type) -> CLIError {
        if let error = error as? CLIError { return error }
        let message = command.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        if let message = TimeLimitOption.message(message, of: command) {
            return CLIError(.usage, "\(message) \(usage(command))")
        }
        let end = message.last == "." || message.last == "?" ? "" : "."
        return CLIError(.usage, "\(message)\(end) \(usage(command))")
    }

    /// How a step is written, as one line.
    private static func usage(_ command: any StepCommand.Type) -> String {
        let text = command.helpMessage(columns: 1000).split(whereSeparator: \.isNewline)
            .first { $0.hasPrefix("USAGE: ") }
        return text.map { "Usage: \($0.dropFirst(7))." } ?? ""
    }
}

/// The steps of a file.
struct StepScript: Sendable {
    struct Line: Sendable {
        let number: Int
        let text: String
        let step: any SessionStep
    }

    /// The name of the file, for error texts.
    let name: String
    let lines: [Line]

    /// Reads all lines. Throws the first error with its line, before any step runs.
    init(_ text: String, name: String) throws(CLIError) {
        var lines: [Line] = []
        var number = 0
        // Editors of other systems begin a file with a byte order mark.
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let text = String(line).trimmed
            do throws(CLIError) {
                guard let step = try StepLanguage.parse(text) else { continue }
                lines.append(Line(number: number, text: text, step: step))
            } catch {
                throw error.preceded(by: Self.place(name, number, text))
            }
        }
        guard !lines.isEmpty else { throw CLIError(.usage, "\(name) has no steps. Give lines such as: connect Strap") }
        self.name = name
        self.lines = lines
    }

    /// Returns the beginning of an error text: the file, the line and the step.
    static func place(_ name: String, _ number: Int, _ text: String) -> String {
        "\(name), line \(number), “\(TextWidth.cut(SecretRedaction.message(SecretRedaction.line(text)), to: 60))”: "
    }
}

/// Runs the steps of a script over one link. The first step that fails ends the run with its exit code.
struct RunVerb: LinkVerb {
    let script: StepScript

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let session = StepSession(context)
            return Observable.from(script.lines)
                .concatMap { StepReport(context: context, line: $0.number, text: $0.text).run($0.step, in: session) }
                .catch { error in
                    if error is OutputClosed { throw error }
                    throw CLIError(error, named: script.name)
                }
                .do(onDispose: { session.close() })
        }
    }
}

/// The error of a step, with its line.
struct StepFailure: Error {
    let line: Int
    let text: String
    let error: CLIError
}

extension CLIError {
    /// Makes an error from the error of a step in a file.
    fileprivate init(_ error: any Error, named name: String) {
        guard let failure = error as? StepFailure else {
            self.init(error)
            return
        }
        self = failure.error.preceded(by: StepScript.place(name, failure.line, failure.text))
    }
}

/// Runs a step. With `--json`, prints an object with the outcome of the step after its results.
struct StepReport: Sendable {
    let context: CommandContext
    let line: Int
    let text: String

    func run(_ step: any SessionStep, in session: StepSession) -> Observable<Never> {
        Observable.deferred {
            let clock = ElapsedClock(context.scheduler)
            let start = clock.time
            return step.run(in: session)
                .catch { session.failing(with: $0) }
                .catch { error in
                    if error is OutputClosed { throw error }
                    let error = CLIError(error)
                    try show(error, after: clock.time - start)
                    let failure = StepFailure(line: line, text: text, error: error)
                    session.recordStall(error)
                    return session.closeKeptLink(after: error).andThen(.error(failure))
                }
                .do(onCompleted: { try show(nil, after: clock.time - start) })
        }
    }

    private func show(_ error: CLIError?, after duration: Duration) throws {
        guard context.options.json else { return }
        let (seconds, attoseconds) = duration.components
        try context.output.line(
            JSON.object([
                ("time", .string(Timestamp.text(context.scheduler.now))), ("line", .number(line)),
                ("step", .string(SecretRedaction.line(text))), ("done", .bool(error == nil)),
                ("milliseconds", .number(Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000))),
                ("error", error?.json ?? .null),
            ]).text)
    }
}
