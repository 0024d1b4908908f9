import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli devices`.
struct DevicesCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the devices that bluetoothd knows, without a scan.",
        discussion: """
            bluetoothd knows the devices that are paired, trusted or connected, and for about 30 seconds those that it \
            has found. They need not be near. Prints one line for each, in the order of their addresses; with --json, \
            one object. A line ends with (connected) if any program has a link to the device, else with (remembered). \
            For all about one device, see ble-cli info.

            EXAMPLES:
              ble-cli devices
              ble-cli devices --connected
              ble-cli devices --json | jq -r .address
            """)

    @OptionGroup var common: CommonOptions
    @Flag(name: .customLong("connected"), help: "List only the devices with a link.") var isConnected = false

    func verb() -> any Verb { DevicesVerb(onlyConnected: isConnected) }
}

/// Prints the devices that bluetoothd knows.
struct DevicesVerb: Verb {
    var onlyConnected = false

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.zip(
            context.manager.knownPeripherals().asObservable(),
            context.manager.retrieveConnectedPeripherals().asObservable()
        ) { known, connected in
            known.map { (device: $0, isConnected: connected.contains($0.peripheral)) }
                .filter { !onlyConnected || $0.isConnected }
                .sorted { $0.device.peripheral.address < $1.device.peripheral.address }
        }
        .do(onNext: { devices in
            let style = ColorChoice.auto.style(of: context.output)
            for (device, isConnected) in devices {
                try context.output.line(
                    context.options.json ? device.json.text : device.line(in: style, isConnected: isConnected))
            }
            guard devices.isEmpty else { return }
            context.note(
                onlyConnected
                    ? "No device is connected. Connect to one: ble-cli connect TARGET."
                    : "bluetoothd knows no devices. Find some: ble-cli scan.")
        })
        .ignoreElements()
    }
}
