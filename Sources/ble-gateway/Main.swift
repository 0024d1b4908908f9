import ArgumentParser
import Gateway
import Glibc
import ProgramSupport

/// The program's entry point.
@main
enum Main {
    static func main() {
        do {
            let command = try GatewayCommand.parse(CommandLineArguments.all)
            if let problem = OpenFileLimit.raise(to: 64) { throw ProgramFailure(ProgramFailure.failed, problem) }
            try GatewayProcess.run(try command.action(), command)
        } catch let failure as ProgramFailure {
            let isCheck = CommandLineArguments.all.contains("--check")
            LogOutput(isCheck ? .terminal : nil, isVerbose: false).write(failure.description, .error)
            ProgramFailure.exitProcess(failure.code)
        } catch {
            endParsing(with: error)
        }
    }

    /// Prints the help text on standard output, or the parser's error as one line, and exits.
    private static func endParsing(with error: any Error) -> Never {
        guard !GatewayCommand.exitCode(for: error).isSuccess else {
            LogOutput.print(GatewayCommand.fullMessage(for: error) + "\n")
            ProgramFailure.exitProcess(0)
        }
        let message = GatewayCommand.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        let end = message.last == "." || message.last == "?" ? "" : "."
        LogOutput(.terminal, isVerbose: false).write("\(message)\(end) See ble-gateway --help.", .error)
        ProgramFailure.exitProcess(ProgramFailure.usage)
    }
}

/// Why the program ends, and its exit code.
struct ProgramFailure: Error, CustomStringConvertible {
    /// The exit code for a wrong command line or configuration. The value is EX_USAGE of sysexits.h.
    static let usage: Int32 = 64
    /// The exit code if the gateway cannot run.
    static let failed: Int32 = 5

    let code: Int32
    /// What failed, the cause, and what to do; one line for each mistake.
    let description: String

    init(_ code: Int32, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Ends the process. Other threads may still run, so exit handlers are skipped.
    static func exitProcess(_ code: Int32) -> Never { _exit(code) }
}
