import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli trust`.
struct TrustCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Trust a device, or stop trusting it.",
        discussion: """
            bluetoothd keeps a trusted device, connects to it when it advertises in order to reconnect, and lets it \
            use services of this computer without a request. Trusting is not pairing: it exchanges no keys.

            EXAMPLES:
              ble-cli trust Lock
              ble-cli trust Lock --off
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @Flag(name: .customLong("off"), help: "Stop trusting the device.") var isOff = false

    func verb() throws(CLIError) -> any Verb {
        TrustVerb(target: try Target(parsing: target), isTrusted: !isOff)
    }
}

/// Marks a device that bluetoothd knows as trusted or not.
struct TrustVerb: Verb {
    let target: Target
    let isTrusted: Bool

    func run(in context: CommandContext) -> Observable<Never> {
        KnownDevices(context: context, target: target).find()
            .flatMap { (peripheral: Peripheral) in
                peripheral.trust(isTrusted).asObservable().do(onCompleted: {
                    try context.show(
                        peripheral, isTrusted ? "is trusted" : "is not trusted", [("trusted", isTrusted)])
                })
            }
    }
}
