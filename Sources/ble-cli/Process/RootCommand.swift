import ArgumentParser
import RxBluetoothSupport

/// The root command, with the general help text.
struct BLECLI: ParsableCommand {
    /// The version that `--version` prints.
    static let version = ProgramVersion.current

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
