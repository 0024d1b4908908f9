import ArgumentParser
import RxBluetooth
import RxBluetoothMocks

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
