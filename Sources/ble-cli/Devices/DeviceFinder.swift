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

/// The devices that fit what a person asked for.
struct DeviceCandidates: Sendable {
    struct Candidate: Sendable {
        let peripheral: Peripheral
        let name: String?
        let match: Target.Match
        /// The strength at which it was heard; nil for one that is only remembered.
        var rssi: Int16?
    }

    private var found: [BluetoothAddress: Candidate] = [:]

    init() {}

    init(_ sightings: [ScannedPeripheral], fitting target: Target) {
        for sighting in sightings { add(sighting, fitting: target) }
    }

    var isEmpty: Bool { found.isEmpty }

    mutating func add(_ sighting: ScannedPeripheral, fitting target: Target) {
        let peripheral = sighting.peripheral
        guard let match = target.match(peripheral.address, name: sighting.name) else { return }
        found[peripheral.address] = Candidate(
            peripheral: peripheral, name: sighting.name, match: match, rssi: sighting.isCached ? nil : sighting.rssi)
    }

    /// The one that fits. One that fits exactly goes before those that fit in part. Throws where it is not clear.
    func choose(for target: Target) throws(CLIError) -> Candidate? {
        let exact = found.values.filter { $0.match == .exact }
        let fitting = (exact.isEmpty ? Array(found.values) : exact)
            .sorted { $0.peripheral.address < $1.peripheral.address }
        guard fitting.count > 1 else { return fitting.first }
        let list = fitting.map { candidate in
            candidate.name.map { "\(candidate.peripheral.address) “\($0)”" } ?? candidate.peripheral.address.description
        }
        throw CLIError(
            .usage,
            "\(target) fits \(fitting.count) devices: \(list.joined(separator: ", ")). Give an address, or more of the name."
        )
    }
}
