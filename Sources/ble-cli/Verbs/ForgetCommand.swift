import Rx
import RxBluetooth

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
