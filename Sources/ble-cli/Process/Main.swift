import ArgumentParser
import Dispatch
import Logging
import Rx
import RxBluetooth
import RxBluetoothMocks

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

/// The program's command line, from which help texts and completions are made.
struct BLECLI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ble-cli",
        abstract: "Work with Bluetooth Low Energy devices through BlueZ.",
        discussion: """
            TARGET is a device's address, its name, or a part of either that fits one device only. Capitals do not matter. A \
            device that bluetoothd does not know is scanned for.

            CHARACTERISTIC is a UUID of 16, 32 or 128 bits, a name of the Bluetooth SIG, or a handle such as @000b, as \
            connect prints it.

            Results go to standard output, and one line to standard error if something fails. The program ends with 0 when \
            it is done, 2 when something is not found, 3 when Bluetooth cannot be used, 4 when it took too long, 5 when the \
            operation failed or the link was lost, 64 when the command line is wrong, and 130 after Ctrl-C.

            EXAMPLES:
              ble-cli scan
              ble-cli scan --timeout 5 --json | jq -r .name
              ble-cli connect "Heart rate"
              ble-cli read C0:FF:EE:00:00:01 "Battery Level"
              ble-cli write Strap 2A39 01
              ble-cli notify Strap 2A37 --count 10
              ble-cli connect "Heart rate" --simulate
              ble-cli simulate
            """,
        subcommands: [
            DiagnoseCommand.self,
            AdaptersCommand.self, ScanCommand.self, ConnectCommand.self, ReadCommand.self, WriteCommand.self,
            NotifyCommand.self, PairCommand.self, ForgetCommand.self, SimulateCommand.self,
        ])
}

/// A verb in a process of its own: on the real clock, with signals.
enum CommandProcess {
    static func run(_ verb: any Verb, _ options: CommandContext.Options, simulating scenario: Scenario?) -> Never {
        let queue = DispatchQueue(label: "ble-cli")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "ble-cli.run")
        let simulation = scenario.map { Simulation($0, scheduler: scheduler) }
        let messages = Messages(output: FileOutput.error, isJSON: options.json)
        let logger = options.isVerbose ? logger(to: messages) : silentLogger
        let manager =
            if let simulation {
                BluetoothManager(
                    bus: simulation.connect(), scheduler: scheduler, adapter: options.adapter,
                    deadlines: options.deadlines, pairing: verb.pairing,
                    logger: logger)
            } else {
                BluetoothManager(
                    queue: queue, adapter: options.adapter, deadlines: options.deadlines, pairing: verb.pairing,
                    logger: logger)
            }
        let context = CommandContext(
            manager: manager, scheduler: scheduler, output: FileOutput.standard, options: options,
            messages: messages)
        let run = CommandRunner(context, messages: messages) { code in
            // The simulation lives as long as its user.
            withExtendedLifetime(simulation) {}
            Exit.now(code)
        }
        run.start(verb)
        ClosedPipeMonitor.start(FileOutput.standard.descriptor) { run.stop(.done) }
        let first = Signals.next()
        // The result is there, and only bluetoothd's answer is not: the exit code stays that of the result.
        if let code = run.ending { Exit.now(code) }
        run.stop(first)
        // Who asks twice does not want to wait. But timeout(1) and a terminal's group may bring one wish as two signals at once.
        Exit.now(Signals.next(after: .milliseconds(200)))
    }

    /// Talk goes to stderr, so that the data on stdout stays what it is.
    private static func logger(to messages: Messages) -> Logger {
        Logger(label: "ble-cli") { _ in MessageLogHandler(messages: messages) }
    }
}
