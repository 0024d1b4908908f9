import ArgumentParser
import Gateway

/// The command line of ble-gateway.
///
/// `ble-cli gateway` declares the same arguments, for its help, manual page and completions.
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ble-gateway",
        abstract: "Publish what Bluetooth LE devices send to an MQTT broker.",
        discussion: """
            Publishes readings of sensors, presence, values of connected devices and the state of the gateway as JSON, \
            with device discovery for Home Assistant. Readings wait in a file while the broker cannot be reached. The \
            gateway runs until Ctrl-C or SIGTERM; a second signal ends it at once.

            CONFIG is a YAML file; --example prints one in which each setting is explained. An error in the file is \
            reported with its line. Messages about the state of the gateway are one line each on standard error.

            Exit codes: 0 stopped by a signal, 5 the gateway cannot run, for example because its store cannot be \
            opened, 64 wrong command line or configuration.

            EXAMPLES:
              ble-gateway --simulate
              ble-gateway --example > gateway.yaml
              ble-gateway --check gateway.yaml
              ble-gateway --dry-run gateway.yaml
              ble-gateway gateway.yaml
            """,
        version: GatewayVersion.current)

    @Argument(
        help: "The configuration file. Only --simulate and --dry-run need none.",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Flag(help: "Check the configuration, print its errors with their lines, and exit.")
    var check = false

    @Flag(help: "Print topic and payload of each message that would be published, and use no broker.")
    var dryRun = false

    @Flag(help: "Use simulated sensors, one of each format, instead of this machine's Bluetooth.")
    var simulate = false

    @Flag(help: "Print an example of a configuration with explanations, and exit.")
    var example = false

    @Flag(name: .shortAndLong, help: "Also log messages that help to find faults.")
    var verbose = false

    /// What the program does.
    enum Action: Equatable {
        case printExample
        case check(String)
        /// Runs the gateway; without a configuration, with its defaults.
        case run(String?)
    }

    /// What the program does, from the arguments. Throws if they contradict each other.
    func action() throws -> Action {
        if example {
            guard config == nil, !check, !dryRun, !simulate else {
                throw ValidationError("--example prints a configuration, and uses no other argument.")
            }
            return .printExample
        }
        if check {
            guard !dryRun, !simulate else {
                throw ValidationError("--check only checks; leave out --dry-run and --simulate.")
            }
            guard let config else { throw ValidationError("Give the configuration file to check.") }
            return .check(config)
        }
        guard config != nil || simulate || dryRun else {
            throw ValidationError("Give a configuration file; --example prints one. Or try --simulate.")
        }
        return .run(config)
    }

    func validate() throws { _ = try action() }
}
