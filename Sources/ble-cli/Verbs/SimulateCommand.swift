import ArgumentParser
import RxBluetoothMocks

/// `ble-cli simulate`
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Serve simulated devices as bluetoothd does, to any program.",
        discussion: """
            It starts a bus of its own, serves org.bluez there as BlueZ 5.66 does, and prints where: the first line is \
            DBUS_SYSTEM_BUS_ADDRESS=… for the environment of the program that is to see the devices. It goes on until \
            Ctrl-C, takes the bus with it, and says how many advertisements were sent.

            SCENARIO is everyday (five devices of a household; the one that is served where none is named), crowd \
            (1,000 beacons that send 5,000 advertisements a second) or lab (the eight peripherals of the project's \
            virtual machine), or a file in YAML or JSON that describes adapters, peripherals, what goes wrong and what \
            happens when. A file is named by a path with a slash or a dot in it. What is wrong with a file is told with its \
            line and what is expected there. Times in a file count from the start of this program.

            EXAMPLES:
              ble-cli simulate
              ble-cli simulate crowd
              ble-cli simulate hall.yaml
              ble-cli simulate everyday --bus unix:path=/run/test/bus
            """)

    @Argument(help: "The scenario: \(ScenarioArgument.choices).") var scenario = ScenarioArgument.standard

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Serve on the bus at this address, and start none.", valueName: "address"))
    var bus: String?

    func run() throws {
        let scenario = try ScenarioArgument.parse(scenario)
        if let bus, bus.trimmed.isEmpty {
            throw CLIError(.usage, "The address of the bus is empty. Give one such as unix:path=/run/test/bus.")
        }
        try SimulationProcess.run(scenario, bus: bus)
    }
}
