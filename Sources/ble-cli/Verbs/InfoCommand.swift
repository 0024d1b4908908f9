import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli info`.
struct InfoCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Print everything that bluetoothd knows about a device.",
        discussion: """
            Prints the names, the address, the pairing, the services and the advertised data, and for a connected \
            device the MTU and the facts of the link. The command does not connect. If bluetoothd has no record of the \
            device, the command scans for it.

            EXAMPLES:
              ble-cli info Strap
              ble-cli info C0:FF:EE:00:00:01 --json | jq .trusted
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String

    func verb() throws(CLIError) -> any Verb { InfoVerb(target: try Target(parsing: target)) }
}

/// Prints what bluetoothd and the kernel report about a device.
struct InfoVerb: Verb {
    let target: Target

    func run(in context: CommandContext) -> Observable<Never> {
        let limit = context.options.setupTimeout
        let progress = ConnectionProgress()
        let timedOut = context.timer(limit).map { _ -> DeviceDetails in
            throw progress.timeoutError(target, after: limit)
        }
        return details(in: context, progress).amb(timedOut).do(onNext: { try $0.show(in: context) }).ignoreElements()
    }

    private func details(in context: CommandContext, _ progress: ConnectionProgress) -> Observable<DeviceDetails> {
        context.manager.knownPeripherals().asObservable().flatMap { known -> Observable<DeviceDetails> in
            if let hit = try DeviceCandidates(known, matching: target).choose(for: target) {
                return DeviceDetails.read(hit.peripheral)
            }
            // The call is sent before the scan ends, because bluetoothd then drops the RSSI and some devices.
            return DeviceFinder(context: context, target: target) { progress.enter(.choosing) }.find()
                .flatMap { DeviceDetails.read($0.peripheral) }
        }
    }
}
