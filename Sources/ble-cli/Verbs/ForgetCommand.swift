import ArgumentParser
import Rx
import RxBluetooth

/// `ble-cli forget`
struct ForgetCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget a device and its bond.",
        discussion: """
            It disconnects the device, and removes what bluetoothd remembers of it. The device keeps its side of the bond, \
            and may have to be told to forget it, too.

            EXAMPLES:
              ble-cli forget Lock
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String

    func verb() throws(CLIError) -> any Verb { ForgetVerb(target: try Target(parsing: target)) }
}

/// Makes bluetoothd forget a device and its bond. The device need not be near, so nothing is scanned for.
struct ForgetVerb: Verb {
    let target: Target

    func run(in context: CommandContext) -> Observable<Never> {
        context.manager.knownPeripherals().asObservable()
            .map { known in
                guard let peripheral = try DeviceCandidates(known, fitting: target).choose(for: target)?.peripheral
                else {
                    throw CLIError(
                        .notFound,
                        "bluetoothd knows no device \(target). See those that it knows: ble-cli scan --known.")
                }
                return peripheral
            }
            .flatMap { (peripheral: Peripheral) in
                peripheral.forget().asObservable().do(onCompleted: {
                    try context.show(peripheral, "is forgotten", [("forgotten", true)])
                })
            }
    }
}
