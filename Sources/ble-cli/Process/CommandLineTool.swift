import ArgumentParser
import ProgramSupport
public import RxBluetooth
import RxBluetoothSupport

/// The tool ble-cli, also as a part of another program, which adds its own formats of advertisements.
///
/// ```swift
/// import ble_cli
///
/// @main
/// enum Main {
///     static func main() { CommandLineTool.main(formats: [CellarSensor.self]) }
/// }
/// ```
///
/// `scan`, `top` and `decode` then print the readings of these formats, with their names. The commands, their output
/// and their exit codes are described in `docs/ble-cli.md`.
public enum CommandLineTool {
    /// The formats of the program around the tool.
    private static let added = Guarded<[any AdvertisementFormat.Type]>([])

    static var formats: [any AdvertisementFormat.Type] { added.withLock(\.self) }

    /// Runs the command of this process's arguments, and exits with its code.
    ///
    /// Call it once, at the start of the program. It handles the signals that end a command.
    ///
    /// - Parameter formats: The formats of advertisements that the program adds to those of the library. Default: none.
    public static func main(formats: [any AdvertisementFormat.Type] = []) -> Never {
        added.withLock { $0 = formats }
        StandardStreams.secure()
        Signals.endAtOnce()
        do {
            var command = try BLECLI.parseVerb(CommandLineArguments.all)
            guard let bluetooth = command as? any BluetoothCommand else {
                try command.run()
                ExitCode.done.exitProcess()
            }
            if let problem = OpenFileLimit.raise(to: 32) { throw CLIError(.failed, problem) }
            CommandProcess.run(
                try bluetooth.verb(), try bluetooth.common.parsed(), simulating: try bluetooth.common.simulated())
        } catch is OutputClosed {
            ExitCode.done.exitProcess()
        } catch let error as CLIError {
            fail(error)
        } catch {
            endParsing(with: error)
        }
    }

    /// Prints the help text on standard output, or the parser's error as one line, and exits.
    private static func endParsing(with error: any Error) -> Never {
        if CommandLineArguments.all.first == "help", let unknown = UnknownCommand.inArguments { fail(unknown) }
        guard !BLECLI.exitCode(for: error).isSuccess else {
            do { try FileOutput.standard.line(CompletionScript.adapted(BLECLI.fullMessage(for: error))) } catch {
                if !(error is OutputClosed) { fail(CLIError(error)) }
            }
            ExitCode.done.exitProcess()
        }
        // A shell requests the values of an argument. A message would disturb the line that the user types.
        if CommandLineArguments.all.first == "---completion" { ExitCode.failed.exitProcess() }
        let message = BLECLI.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        if let unknown = UnknownCommand.inArguments { fail(unknown) }
        let verb = CommandLineArguments.all.first { argument in
            BLECLI.configuration.subcommands.contains { $0.configuration.commandName == argument }
        }
        let page = (["ble-cli"] + [verb].compactMap(\.self)).joined(separator: " ")
        fail(CLIError(.usage, "\(text(of: message, for: verb)) See \(page) --help."))
    }

    /// Returns an error text of the parser with a full stop, and with advice if this program has some.
    private static func text(of message: String, for verb: String?) -> String {
        let command = BLECLI.configuration.subcommands.first { $0.configuration.commandName == verb }
        if let command, let text = TimeLimitOption.message(message, of: command) { return text }
        let end = message.last == "." || message.last == "?" ? "" : "."
        return "\(message)\(end)\(advice(verb, message))"
    }

    /// Returns advice for an error text of the parser that has none.
    private static func advice(_ verb: String?, _ message: String) -> String {
        let start = "Unknown option '-"
        let isNegative = message.hasPrefix(start) && message.dropFirst(start.count).first?.isNumber == true
        return verb == "write" && isNegative ? " Give a negative number as --value -5." : ""
    }

    /// Exits with an error before a verb starts.
    ///
    /// `--json` has an effect even if the command line could not be parsed.
    private static func fail(_ error: CLIError) -> Never {
        let isJSON = CommandLineArguments.all.contains("--json")
        Messages(output: FileOutput.error, isJSON: isJSON).fail(error.withoutKeys)
        error.code.exitProcess()
    }
}
