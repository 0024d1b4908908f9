import ArgumentParser
import RxBluetooth
import RxBluetoothMocks
import ScenarioFiles

/// The options of every command that uses Bluetooth.
struct CommonOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use this adapter: a name, number or address. Default: the powered adapter with the fewest connections.",
            valueName: "hci1"),
        completion: .adapters)
    var adapter: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Time limit from the start of the command, such as 10 for seconds, 500ms or 2m; clone, pair, run and shell "
                + "apply it to each of their steps. Without it, a scan runs until Ctrl-C, and other commands take at "
                + "most 10 seconds to find and connect the device, and as long for each operation.",
            valueName: "seconds"))
    var timeout: String?

    @Flag(
        help: "Print one JSON object per line: results on stdout, errors and notes on stderr. See docs/json-output.md.")
    var json = false

    @Flag(help: "Use simulated devices instead of this machine's Bluetooth.")
    var simulate = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use the simulated devices of this scenario: \(ScenarioArgument.choices). Implies --simulate.",
            valueName: "scenario"),
        completion: .scenarios)
    var scenario: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Simulate this version of BlueZ: \(BlueZArgument.choices). Implies --simulate.", valueName: "version"),
        completion: .bluezVersions)
    var bluez: String?

    @Flag(
        name: .shortAndLong,
        help: """
            Log the exchange with bluetoothd on stderr. On a terminal, a live table stays below the log, and top prints \
            the log at its end.
            """)
    var verbose = false

    /// Returns the scenario to simulate; nil to use this machine's Bluetooth.
    func simulated() throws(CLIError) -> Scenario? {
        guard simulate || scenario != nil || bluez != nil else { return nil }
        return try ScenarioArgument.parse(scenario ?? ScenarioArgument.standard, bluez: bluez)
    }

    /// Returns the options as values. Throws if an option is invalid.
    func parsed() throws(CLIError) -> CommandContext.Options {
        var options = CommandContext.Options()
        if let adapter { options.adapter = try AdapterSelection(parsing: adapter) }
        if let timeout { options.timeout = try Seconds.parse(timeout) }
        options.json = json
        options.isVerbose = verbose
        return options
    }
}

/// The option to leave the link open.
struct KeepOption: ParsableArguments {
    @Flag(
        help: """
            Leave the link open at the end. Later commands use it; ble-cli disconnect closes it.
            """)
    var keep = false
}

/// A command that uses Bluetooth, and therefore has the common options.
protocol BluetoothCommand: ParsableCommand {
    var common: CommonOptions { get }

    /// Returns the verb with its arguments. Throws if an argument is invalid.
    func verb() throws(CLIError) -> any Verb
}

extension AdapterSelection {
    /// Reads an adapter's name, number or address.
    init(parsing text: String) throws(CLIError) {
        let trimmed = text.trimmed
        guard !trimmed.isEmpty else {
            throw CLIError(
                .usage,
                "The adapter is empty. Give a name such as hci1, its number, or an address; see ble-cli adapters.")
        }
        self =
            BluetoothAddress(trimmed).map { .address($0) } ?? Int(trimmed).map { .number($0) } ?? .named(trimmed)
    }
}

/// A command-line argument that names a scenario.
///
/// Only this type maps names to scenarios and reads scenario files.
enum ScenarioArgument {
    /// The default scenario.
    static let standard = "everyday"

    private static let named: [(name: String, scenario: @Sendable () -> Scenario)] = [
        ("everyday", { .everyday }),
        ("crowd", { .crowd }),
        ("lab", { .lab }),
        ("showroom", { .showroom }),
    ]

    /// The accepted values, for help texts.
    static var choices: String { names.joined(separator: ", ") + ", or a file" }

    /// The names of the scenarios.
    static var names: [String] { named.map(\.name) }

    /// Reads a scenario and the version of BlueZ that it simulates; nil for the scenario's own version.
    static func parse(_ text: String, bluez: String?) throws(CLIError) -> Scenario {
        let version: SimulatedBlueZ.Version? = if let bluez { try BlueZArgument.parse(bluez) } else { nil }
        var scenario = try parse(text)
        if let version { scenario.bluez = version }
        return scenario
    }

    /// Reads a name, or the path of a file. A text with a slash or a dot is a path.
    ///
    /// Throws for an unknown name, and for a file that cannot be read or has an error.
    static func parse(_ text: String) throws(CLIError) -> Scenario {
        let name = text.trimmed.lowercased()
        if let choice = named.first(where: { $0.name == name }) { return choice.scenario() }
        guard text.contains("/") || text.contains(".") else {
            let names = names.joined(separator: ", ")
            throw CLIError(
                .usage, "There is no scenario “\(text)”. Give one of \(names), or a file such as ./hall.yaml.")
        }
        do throws(ScenarioFileError) { return try ScenarioFile.load(text) } catch {
            throw CLIError(.usage, "\(error).")
        }
    }
}
