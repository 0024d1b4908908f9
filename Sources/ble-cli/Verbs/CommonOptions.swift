import ArgumentParser
import RxBluetooth
import RxBluetoothMocks
import ScenarioFiles

/// The options that every verb has.
struct CommonOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use this adapter, by name, number or address. Default: the one that is on and has the fewest connections.",
            valueName: "hci1")
    )
    var adapter: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Give up after so many seconds; fractions are allowed. A scan without it goes on until Ctrl-C; other verbs "
                + "take at most 10 seconds to find and connect the device.",
            valueName: "seconds"))
    var timeout: String?

    @Flag(help: "Print one JSON object a line: results to stdout, errors and notes to stderr. See docs/json-output.md.")
    var json = false

    @Flag(help: "Use simulated devices instead of this machine's Bluetooth.")
    var simulate = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use the simulated devices of this scenario: \(ScenarioArgument.choices). It means --simulate.",
            valueName: "scenario"))
    var scenario: String?

    @Flag(name: .shortAndLong, help: "Tell on stderr what happens between this program and bluetoothd.")
    var verbose = false

    /// What to simulate; nil where this machine's Bluetooth is meant.
    func simulated() throws(CLIError) -> Scenario? {
        if let scenario { return try ScenarioArgument.parse(scenario) }
        return simulate ? try ScenarioArgument.parse(ScenarioArgument.standard) : nil
    }

    /// The options as a verb wants them.
    func parsed() throws(CLIError) -> CommandContext.Options {
        var options = CommandContext.Options()
        if let adapter { options.adapter = try AdapterSelection(parsing: adapter) }
        if let timeout { options.timeout = try Seconds.parse(timeout) }
        options.json = json
        options.isVerbose = verbose
        return options
    }
}

/// A command that works with Bluetooth.
protocol BluetoothCommand: ParsableCommand {
    var common: CommonOptions { get }

    /// What the command line asks for; throws where it makes no sense.
    func verb() throws(CLIError) -> any Verb
}

extension ArgumentHelp {
    static let target: ArgumentHelp = "The device's address, its name, or a part of either."
    static let characteristic: ArgumentHelp = "A UUID, a name such as \"Battery Level\", or a handle such as @000b."
}

extension AdapterSelection {
    /// Reads an adapter's name or address.
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

/// Which scenario a person means. This is the one place where a name becomes a scenario, or a file is read.
enum ScenarioArgument {
    /// The one that is served where none is named.
    static let standard = "everyday"

    private static let named: [(name: String, scenario: @Sendable () -> Scenario)] = [
        ("everyday", { .everyday }),
        ("crowd", { .crowd }),
        ("lab", { .lab }),
    ]

    /// What one may give, for help texts.
    static var choices: String { named.map(\.name).joined(separator: ", ") + ", or a file" }

    /// Takes a name, or a path: what has a slash or a dot in it. Throws for a name that no scenario has, and for a file that
    /// cannot be read or has something wrong in it.
    static func parse(_ text: String) throws(CLIError) -> Scenario {
        let name = text.trimmed.lowercased()
        if let choice = named.first(where: { $0.name == name }) { return choice.scenario() }
        guard text.contains("/") || text.contains(".") else {
            let names = named.map(\.name).joined(separator: ", ")
            throw CLIError(
                .usage,
                "There is no scenario “\(text)”. Name one of these: \(names); or give a file, such as ./hall.yaml.")
        }
        do throws(ScenarioFileError) { return try ScenarioFile.load(text) } catch {
            throw CLIError(.usage, "\(error).")
        }
    }
}
