import ArgumentParser

@main
enum Main {
    static func main() {
        StandardStreams.secure()
        Signals.block()
        do {
            var command = try BLECLI.parseAsRoot(CommandLineArguments.all)
            guard let bluetooth = command as? any BluetoothCommand else { return try command.run() }
            CommandProcess.run(
                try bluetooth.verb(), try bluetooth.common.parsed(), simulating: try bluetooth.common.simulated())
        } catch let failure as CLIError {
            fail(failure)
        } catch {
            end(with: error)
        }
    }

    /// What the argument parser has to say: help to standard output, and an error as one line.
    private static func end(with error: any Error) -> Never {
        guard !BLECLI.exitCode(for: error).isSuccess else {
            try? FileOutput.standard.line(BLECLI.fullMessage(for: error))
            Exit.now(.done)
        }
        let message = BLECLI.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        let verb = CommandLineArguments.all.first { argument in
            BLECLI.configuration.subcommands.contains { $0.configuration.commandName == argument }
        }
        let end = message.last == "." || message.last == "?" ? "" : "."
        fail(
            CLIError(
                .usage,
                "\(message)\(end) See \((["ble-cli"] + [verb].compactMap(\.self)).joined(separator: " ")) --help."))
    }

    /// Ends before any verb has begun. Also a command line that is not understood says whether its reader is a program.
    private static func fail(_ failure: CLIError) -> Never {
        let isJSON = CommandLineArguments.all.contains("--json")
        Messages(output: FileOutput.error, isJSON: isJSON).fail(failure)
        Exit.now(failure.code)
    }
}
