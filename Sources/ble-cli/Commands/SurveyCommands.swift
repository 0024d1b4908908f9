import ArgumentParser
import RxBluetooth

/// `ble-cli adapters`
struct AdaptersCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters", abstract: "List this machine's Bluetooth adapters.",
        discussion:
            "Each line shows the adapter's name, its address, whether it is on, whether it scans, and its alias.")

    @OptionGroup var common: CommonOptions

    func verb() throws(CLIError) -> any Verb { AdaptersVerb() }
}

/// `ble-cli diagnose`
struct DiagnoseCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose", abstract: "Tell what keeps Bluetooth from working, and what to do about it.",
        discussion: """
            It looks at the system bus, bluetoothd, the adapters, the switches that keep radios off, and who scans, and prints in \
            plain sentences what it has found, the most likely cause first. It needs nothing to be there, changes nothing, and \
            takes 2 seconds at most, or as long as --timeout says.

            It ends with 0 when Bluetooth can be used, 2 when the adapter of --adapter is not there and others are, and 3 when \
            Bluetooth cannot be used.

            EXAMPLES:
              ble-cli diagnose
              ble-cli diagnose --json | jq -r .cause
            """)

    @OptionGroup var common: CommonOptions

    func verb() throws(CLIError) -> any Verb { DiagnoseVerb() }
}

/// `ble-cli scan`
struct ScanCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show the devices that advertise nearby.",
        discussion: """
            On a terminal it shows a table that is kept up to date; columns for which the terminal is too narrow are left out. \
            In a pipe it prints one line for each new device and for each change of its name; with --json, one object for each \
            new device and each change of its name or its services. With --all it prints a line for every advertisement, also \
            on a terminal.

            EXAMPLES:
              ble-cli scan
              ble-cli scan --service 180D --timeout 10
              ble-cli scan --service "Heart Rate"
              ble-cli scan --json --all > advertisements.jsonl
              ble-cli scan --json --reconnect
            """)

    @OptionGroup var common: CommonOptions

    @Option(
        name: .customLong("service"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Show only devices that advertise this service: a UUID, or a name such as \"Heart Rate\". May be given several "
                + "times; then any of them will do.",
            valueName: "service"))
    var services: [String] = []

    @Flag(name: .customLong("all"), help: "Print a line for every advertisement that is heard.")
    var showsAll = false

    @Flag(name: .customLong("known"), help: "Begin with the devices that bluetoothd remembers, near or not.")
    var includesKnown = false

    @Flag(help: "Wait where Bluetooth cannot be used, and go on when it can.")
    var reconnect = false

    func verb() throws(CLIError) -> any Verb {
        var uuids: [BluetoothUUID] = []
        for text in services { uuids.append(try ServiceArgument.parse(text)) }
        return ScanVerb(services: uuids, showsAll: showsAll, includesKnown: includesKnown, reconnects: reconnect)
    }
}
