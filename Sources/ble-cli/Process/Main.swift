import ArgumentParser
import Dispatch
import Logging
import ProgramSupport
import Rx
import RxBluetooth
import RxBluetoothMocks

/// The program's entry point.
@main
enum Main {
    static func main() {
        StandardStreams.secure()
        Signals.endAtOnce()
        do {
            var command = try BLECLI.parseVerb(CommandLineArguments.all)
            guard let bluetooth = command as? any BluetoothCommand else { return try command.run() }
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

/// The root command, with the general help text.
struct BLECLI: ParsableCommand {
    /// The version that `--version` prints, and that scripts/deb gives the package.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "ble-cli",
        abstract: "Work with Bluetooth Low Energy devices through BlueZ.",
        discussion: """
            TARGET is a device's address, its name, or a part of either that matches only one device. Upper and \
            lower case are the same. If bluetoothd has no record of the device, the command scans for it, and for a \
            name it listens for 1 second whether others match, too.

            CHARACTERISTIC is a UUID of 16, 32 or 128 bits, a name assigned by the Bluetooth SIG, or a handle such \
            as @000b, as printed by connect.

            Results are printed on standard output, and an error as one line on standard error. Exit codes: 0 done, \
            2 not found, 3 Bluetooth cannot be used, 4 timed out, 5 the operation failed or the link was lost, 64 \
            wrong command line, 130 interrupted with Ctrl-C.

            EXAMPLES:
              ble-cli scan
              ble-cli scan --for 5s --json | jq -r .name
              ble-cli top
              ble-cli connect "Heart rate"
              ble-cli read C0:FF:EE:00:00:01 "Battery Level"
              ble-cli write Strap 2A39 01
              ble-cli write Strap 2A39 --value reset
              ble-cli notify Strap 2A37 --count 10
              ble-cli decode 2A37 105A00080010
              ble-cli connect "Heart rate" --simulate
              ble-cli simulate
            """,
        version: version,
        subcommands: [
            DiagnoseCommand.self, AdaptersCommand.self, PowerCommand.self,
            ScanCommand.self, TopCommand.self, DevicesCommand.self, InfoCommand.self,
            ConnectCommand.self, DisconnectCommand.self, ReadCommand.self, WriteCommand.self, NotifyCommand.self,
            RunCommand.self, ShellCommand.self,
            PairCommand.self, TrustCommand.self, ForgetCommand.self,
            AdvertiseCommand.self, DecodeCommand.self, SimulateCommand.self, GatewayCommand.self,
            RecordCommand.self, ImportCommand.self, CloneCommand.self,
        ])
}

extension BLECLI {
    /// Parses a command line. A valid line that begins with a verb is parsed by the verb alone.
    ///
    /// This takes fewer instructions than the root command, which would parse itself first and build the tree of all
    /// verbs. The root command parses everything else, so it makes the texts of help and errors.
    static func parseVerb(_ arguments: [String]) throws -> any ParsableCommand {
        let verb = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
        if let command = try? verb?.parse(Array(arguments.dropFirst())) { return command }
        return try parseAsRoot(arguments)
    }
}

/// Runs a verb in this process until it ends, a signal arrives, or the reader closes the output.
enum CommandProcess {
    static func run(_ verb: any Verb, _ options: CommandContext.Options, simulating scenario: Scenario?) -> Never {
        Signals.block()
        let queue = DispatchQueue(label: "ble-cli")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "ble-cli.run")
        let simulation = scenario.map { Simulation($0, scheduler: scheduler) }
        let messages = Messages(output: verb.sharing(FileOutput.error), isJSON: options.json)
        var configuration = BluetoothManager.Configuration(
            adapter: options.adapter, scheduler: scheduler, deadlines: options.deadlines, pairing: verb.pairing,
            logger: options.isVerbose ? MessageLogHandler.logger(to: messages) : nil)
        configuration.keys = verb.keys
        configuration.lostOperationFile = KeptLinkFiles.ofEnvironment.folder.map { $0 + "/lost-operations" }
        let makeManager: @Sendable (PairingPolicy) -> BluetoothManager = { [configuration] pairing in
            var configuration = configuration
            configuration.pairing = pairing
            guard let simulation else { return BluetoothManager(configuration: configuration) }
            return BluetoothManager(configuration: configuration, bus: simulation.connect())
        }
        let manager = makeManager(verb.pairing)
        let context = CommandContext(
            manager: manager, scheduler: scheduler, output: verb.sharing(FileOutput.standard), options: options,
            messages: messages, keptLinks: simulation == nil ? KeptLinkFiles.ofEnvironment : MemoryKeptLinks(),
            closingLinks: simulation == nil ? ClosingLinkFiles.ofEnvironment : MemoryClosingLinks(),
            makeManager: makeManager)
        let runner = CommandRunner(context, messages: messages) { code in
            // Keeps the simulation alive until the command has ended.
            withExtendedLifetime(simulation) {}
            code.exitProcess()
        }
        runner.start(verb)
        ClosedPipeMonitor.start(FileOutput.standard.descriptor) { runner.stop(.done) }
        var signal = Signals.next()
        while signal == .interrupted, runner.resultCode == nil, verb.interrupt() { signal = Signals.next() }
        // If the result is already printed, its exit code is kept. Only bluetoothd's reply is missing.
        if let code = runner.resultCode { code.exitProcess() }
        runner.stop(signal)
        // A second signal exits immediately. Signals within 200 ms are ignored, because timeout(1) and a terminal may
        // send the first signal twice.
        Signals.next(after: .milliseconds(200)).exitProcess()
    }
}
