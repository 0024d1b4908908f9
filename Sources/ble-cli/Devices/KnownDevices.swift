import Rx
import RxBluetooth

/// Finds a device that bluetoothd knows, without a scan.
struct KnownDevices {
    let context: CommandContext
    let target: Target

    /// The known devices that match the target.
    struct List: Sendable {
        let candidates: DeviceCandidates
        /// The matching devices to which any program has a link.
        let linked: DeviceCandidates

        /// The devices with the name or address of the target, and those with a link.
        var exactOrLinked: DeviceCandidates { candidates.filter { $0.match == .exact }.adding(linked) }
    }

    /// Emits the known devices that match the target.
    func list() -> Observable<List> {
        Observable.zip(
            context.manager.knownPeripherals().asObservable(),
            context.manager.retrieveConnectedPeripherals().asObservable()
        ) { known, connected in
            let candidates = DeviceCandidates(known, matching: target)
            return List(candidates: candidates, linked: candidates.filter { connected.contains($0.peripheral) })
        }
    }

    /// Emits the device that the target names. Fails if there is none, or if several match.
    ///
    /// - Parameter action: What the command does, if it requires the whole name or the address; nil to accept a part.
    func find(wholeNameTo action: String? = nil) -> Observable<Peripheral> {
        list().map { known in
            guard let hit = try known.candidates.choose(for: target) else {
                throw CLIError(
                    .notFound, "bluetoothd has no device \(target). List its devices: ble-cli devices.")
            }
            if let action, hit.match == .partial {
                throw CLIError(
                    .notFound,
                    "bluetoothd has no device \(target), but \(hit.peripheral). To \(action) that, give its address or "
                        + "its whole name.")
            }
            return hit.peripheral
        }
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
    ///
    /// If a device without a link matches exactly, a partial match with a link is not the device.
    ///
    /// - Parameter isOnly: Whether the device must be the only known one that matches.
    func findLinked(isOnly: Bool = false) -> Observable<DeviceCandidates.Candidate?> {
        list().map { known in
            if known.candidates.hasExact, !known.linked.hasExact { return nil }
            if isOnly, known.candidates.only() == nil { return nil }
            return try known.linked.choose(for: target)
        }
    }
}
