import ArgumentParser

@main
enum Main {
    static func main() {
        StandardStreams.secure()
        Signals.block()
        do {
            var command = try BLECLI.parseAsRoot()
            guard let bluetooth = command as? any BluetoothCommand else { return try command.run() }
            Launch.run(
                try bluetooth.verb(), try bluetooth.common.parsed(), simulating: try bluetooth.common.simulated())
        } catch let failure as Failure {
            FileOutput.error.complain(failure.text)
            Exit.now(failure.code)
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
        let verb = CommandLine.arguments.dropFirst().first { argument in
            BLECLI.configuration.subcommands.contains { $0.configuration.commandName == argument }
        }
        let end = message.last == "." || message.last == "?" ? "" : "."
        FileOutput.error.complain(
            "\(message)\(end) See \((["ble-cli"] + [verb].compactMap(\.self)).joined(separator: " ")) --help.")
        Exit.now(.usage)
    }
}
