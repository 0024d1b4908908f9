import Rx
import RxBluetooth

/// Finds a device that bluetoothd knows, without a scan.
struct KnownDevices {
    let context: CommandContext
    let target: Target

    /// Emits the device that the target names. Fails if there is none, or if several match.
    func find() -> Observable<Peripheral> {
        context.manager.knownPeripherals().asObservable().map { try choose(from: $0) }
    }

    /// Emits the device that the target names, and whether any program has a link to it.
    ///
    /// If several devices match, those with a link take precedence.
    func findConnected() -> Observable<(Peripheral, Bool)> {
        findLinked().flatMap { linked -> Observable<(Peripheral, Bool)> in
            linked.map { .just(($0.peripheral, true)) } ?? find().map { ($0, false) }
        }
    }

    /// Emits the connected device that the target names, or nil. Fails if several match.
    func findLinked() -> Observable<DeviceCandidates.Candidate?> {
        Observable.zip(
            context.manager.knownPeripherals().asObservable(),
            context.manager.retrieveConnectedPeripherals().asObservable()
        ) { known, connected in
            let linked = known.filter { connected.contains($0.peripheral) }
            return try DeviceCandidates(linked, matching: target).choose(for: target)
        }
    }

    private func choose(from known: [ScannedPeripheral]) throws(CLIError) -> Peripheral {
        guard let hit = try DeviceCandidates(known, matching: target).choose(for: target) else {
            throw CLIError(
                .notFound, "bluetoothd has no device \(target). List its devices: ble-cli scan --known.")
        }
        return hit.peripheral
    }
}
