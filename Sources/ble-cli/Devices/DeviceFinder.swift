import Rx
import RxBluetooth

/// Finds the device that a target names.
///
/// An address that bluetoothd remembers needs no scan. For any other target, the finder scans, because a remembered
/// device may be far away. After the first match, the finder waits for other matching devices. If no matching device
/// advertises, the finder uses a remembered device after a delay: a device that is connected to another program may
/// not advertise.
struct DeviceFinder {
    let context: CommandContext
    let target: Target

    /// How long to wait for further matches. Most peripherals advertise at least once in this time.
    static let settling = Duration.seconds(1)
    /// The delay after which a remembered device is used although it does not advertise.
    ///
    /// The delay is shortened to half the time limit if that is shorter.
    static let silence = Duration.seconds(3)

    private enum SearchEvent: Sendable {
        case heard(ScannedPeripheral)
        case settled
        case silent
    }

    /// Emits the device and completes. Fails if several devices match. Never ends if no device matches.
    func find() -> Observable<DeviceCandidates.Candidate> {
        context.manager.knownPeripherals().asObservable().flatMap {
            known -> Observable<DeviceCandidates.Candidate> in
            if case .address = target, let hit = try DeviceCandidates(known, matching: target).choose(for: target) {
                return .just(hit)
            }
            return scan(remembered: known)
        }
    }

    private func scan(remembered: [ScannedPeripheral]) -> Observable<DeviceCandidates.Candidate> {
        let heard = context.manager.scanForPeripherals()
            .filter { target.match($0.peripheral.address, name: $0.name) != nil }
            .share()
        var events = [
            heard.map { SearchEvent.heard($0) },
            heard.take(1).flatMap { _ in context.timer(Self.settling) }.map { _ in SearchEvent.settled },
        ]
        let known = DeviceCandidates(remembered, matching: target)
        if !known.isEmpty {
            let delay = min(Self.silence, context.options.setupTimeout / 2)
            events.append(context.timer(delay).map { _ in SearchEvent.silent })
        }
        return Observable<SearchEvent>.merge(events)
            .scan(into: Search()) { search, event in try handle(event, in: &search, remembered: known) }
            .compactMap(\.result)
            .take(1)
    }

    private struct Search: Sendable {
        var candidates = DeviceCandidates()
        var result: DeviceCandidates.Candidate?
    }

    private func handle(_ event: SearchEvent, in search: inout Search, remembered: DeviceCandidates) throws {
        switch event {
        case .heard(let sighting):
            search.candidates.add(sighting, matching: target)
            // Ends the search at once if the target is an address, because no other device can match.
            if case .address = target { search.result = try search.candidates.choose(for: target) }
        case .settled: search.result = try search.candidates.choose(for: target)
        case .silent:
            if search.candidates.isEmpty { search.result = try remembered.choose(for: target) }
        }
    }
}

/// The devices that match a target.
struct DeviceCandidates: Sendable {
    struct Candidate: Sendable {
        let peripheral: Peripheral
        let name: String?
        let match: Target.Match
        /// The RSSI of the last advertisement; nil for a device that is only remembered.
        var rssi: Int16?
    }

    private var found: [BluetoothAddress: Candidate] = [:]

    init() {}

    init(_ sightings: [ScannedPeripheral], matching target: Target) {
        for sighting in sightings { add(sighting, matching: target) }
    }

    var isEmpty: Bool { found.isEmpty }

    mutating func add(_ sighting: ScannedPeripheral, matching target: Target) {
        let peripheral = sighting.peripheral
        guard let match = target.match(peripheral.address, name: sighting.name) else { return }
        found[peripheral.address] = Candidate(
            peripheral: peripheral, name: sighting.name, match: match, rssi: sighting.isCached ? nil : sighting.rssi)
    }

    /// Returns the only match; nil if there is none. Throws if several devices match.
    ///
    /// Exact matches take precedence over partial matches.
    func choose(for target: Target) throws(CLIError) -> Candidate? {
        let exact = found.values.filter { $0.match == .exact }
        let matching = (exact.isEmpty ? Array(found.values) : exact)
            .sorted { $0.peripheral.address < $1.peripheral.address }
        guard matching.count > 1 else { return matching.first }
        let list = matching.map { candidate in
            candidate.name.map { "\(candidate.peripheral.address) “\($0)”" } ?? candidate.peripheral.address.description
        }
        throw CLIError(
            .usage,
            "\(target) matches \(matching.count) devices: \(list.joined(separator: ", ")). "
                + "Give an address, or more of the name.")
    }
}
