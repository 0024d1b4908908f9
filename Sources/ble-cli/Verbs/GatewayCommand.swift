import ArgumentParser
import ProgramSupport

/// The command `ble-cli gateway`, which starts the program ble-gateway.
///
/// The gateway is a program of its own, because it links the libraries of MQTT and SQLite. The arguments are declared
/// here too, for help, manual page and completions; a test compares both declarations.
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Publish what Bluetooth LE devices send to an MQTT broker.",
        discussion: """
            Starts the program ble-gateway, which Debian's package ble-gateway contains; see man ble-gateway. It \
            publishes readings of sensors, presence, values of connected devices and the state of the gateway as JSON, \
            with device discovery for Home Assistant. Readings wait in a file while the broker cannot be reached. The \
            gateway runs until Ctrl-C or SIGTERM.

            CONFIG is a YAML file; --example prints one in which each setting is explained. An error in the file is \
            reported with its line.

            EXAMPLES:
              ble-cli gateway --simulate
              ble-cli gateway --example > gateway.yaml
              ble-cli gateway --check gateway.yaml
              ble-cli gateway --dry-run gateway.yaml
              ble-cli gateway gateway.yaml
            """)

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

    func run() throws {
        let arguments = CommandLineArguments.all.drop { $0 != Self.configuration.commandName }.dropFirst()
        try OtherProgram.gateway.replaceProcess(arguments: Array(arguments))
    }
}

extension OtherProgram {
    /// The program of `ble-cli gateway`.
    static let gateway = OtherProgram(
        name: "ble-gateway",
        hint: "Install Debian's package ble-gateway, or build it: swift build -c release --product ble-gateway.")
}
