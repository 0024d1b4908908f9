import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli forget`.
struct ForgetCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget a device and its bond.",
        discussion: """
            Disconnects the device, and removes it from bluetoothd's memory. The device keeps its own copy of the \
            bond. If it refuses to pair again, remove the bond on the device, too. A part of a name \
            is not enough.

            EXAMPLES:
              ble-cli forget Lock
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .wholeTarget) var target: String

    func verb() throws(CLIError) -> any Verb { ForgetVerb(target: try Target(parsing: target)) }
}

/// Removes a device and its bond from bluetoothd.
///
/// The device need not be near, so the verb does not scan.
struct ForgetVerb: Verb {
    let target: Target

    func run(in context: CommandContext) -> Observable<Never> {
        KnownDevices(context: context, target: target).find(wholeNameTo: "forget")
            .flatMap { (peripheral: Peripheral) -> Observable<Never> in
                context.keptLinks.remove(LinkKey(peripheral))
                return peripheral.forget().asObservable().do(onCompleted: {
                    try context.show(peripheral, "is forgotten", [("forgotten", true)])
                })
            }
    }
}
