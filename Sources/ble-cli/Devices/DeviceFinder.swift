import Rx
import RxBluetooth

/// Finds the device that a person means.
///
/// An address that bluetoothd knows needs no scan. Everything else is scanned for, since what bluetoothd
/// remembers may be far away. A name may be that of several devices, so after the first that fits, others are waited for
/// a moment. A device that is remembered and not heard, such as one that another program is connected to, is taken only
/// after a while.
struct DeviceFinder {
    let context: CommandContext
    let target: Target

    /// How long others are waited for. Most peripherals advertise at least once in this time.
    static let settling = Duration.seconds(1)
    /// How long a device must be silent before it is taken from bluetoothd's memory; never more than half the limit.
    static let silence = Duration.seconds(3)

    private enum Step: Sendable {
        case heard(ScannedPeripheral)
        case settled
        case silent
    }

    /// Emits the device and completes. Fails where several fit. Goes on until it is found or disposed of.
    func find() -> Observable<DeviceCandidates.Candidate> {
        context.manager.knownPeripherals().asObservable().flatMap { known -> Observable<DeviceCandidates.Candidate> in
            if case .address = target, let hit = try DeviceCandidates(known, fitting: target).choose(for: target) {
                return .just(hit)
            }
            return scan(remembered: known)
        }
    }

    private func scan(remembered: [ScannedPeripheral]) -> Observable<DeviceCandidates.Candidate> {
        let heard = context.manager.scanForPeripherals()
            .filter { target.match($0.peripheral.address, name: $0.name) != nil }
            .share()
        var steps = [
            heard.map { Step.heard($0) },
            heard.take(1).flatMap { _ in context.timer(Self.settling) }.map { _ in Step.settled },
        ]
        let fitting = DeviceCandidates(remembered, fitting: target)
        if !fitting.isEmpty {
            steps.append(context.timer(min(Self.silence, context.options.patience / 2)).map { _ in Step.silent })
        }
        return Observable<Step>.merge(steps)
            .scan(into: Search()) { search, step in try take(step, into: &search, remembered: fitting) }
            .compactMap(\.result)
            .take(1)
    }

    private struct Search: Sendable {
        var candidates = DeviceCandidates()
        var result: DeviceCandidates.Candidate?
    }

    private func take(_ step: Step, into search: inout Search, remembered: DeviceCandidates) throws {
        switch step {
        case .heard(let sighting):
            search.candidates.add(sighting, fitting: target)
            // Nobody else has this address.
            if case .address = target { search.result = try search.candidates.choose(for: target) }
        case .settled: search.result = try search.candidates.choose(for: target)
        case .silent:
            if search.candidates.isEmpty { search.result = try remembered.choose(for: target) }
        }
    }
}
