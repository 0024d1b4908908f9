import ArgumentParser

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
