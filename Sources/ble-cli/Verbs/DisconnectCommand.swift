import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli disconnect`.
struct DisconnectCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "Close the link to a device, of any program.",
        discussion: """
            Closes the link that another program or an earlier command with --keep has made. The other program gets an \
            error. If there is no link, the command succeeds, too. bluetoothd takes about 2 seconds to close a link.

            EXAMPLES:
              ble-cli disconnect Strap
              ble-cli disconnect C0:FF:EE:00:00:01 --json
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String

    func verb() throws(CLIError) -> any Verb { DisconnectVerb(target: try Target(parsing: target)) }
}

/// Closes the link to a device, whichever program made it.
struct DisconnectVerb: Verb {
    let target: Target

    func run(in context: CommandContext) -> Observable<Never> {
        KnownDevices(context: context, target: target).findConnected()
            .flatMap { (peripheral: Peripheral, isConnected: Bool) -> Observable<Never> in
                guard isConnected else {
                    try context.show(
                        peripheral, "is not connected", [("disconnected", true), ("wasConnected", false)])
                    return .empty()
                }
                context.keptLinks.remove(LinkKey(peripheral))
                return peripheral.disconnect().asObservable().do(onCompleted: {
                    try context.show(
                        peripheral, "is disconnected", [("disconnected", true), ("wasConnected", true)])
                })
            }
    }
}
