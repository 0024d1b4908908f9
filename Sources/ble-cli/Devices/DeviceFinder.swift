import Rx
import RxBluetooth

/// Finds the device that a target names.
///
/// A remembered device needs no scan if no other remembered device matches, and the target is its address, its name or
/// a whole word of its name, or a part of a word and the device is connected. For any other target, the finder scans,
/// because more devices may match. After the first match, the finder waits for other matching devices: 0.15 s if the
/// match is exact, or the only remembered one by a part of its name, else a second. A remembered device is a candidate,
/// too, if its name is the target or if it is connected: a connected device may not advertise.
///
/// A part of an address is never enough to omit the scan or to shorten the wait, because it may be in any address. Nor
/// is a part of a word for a command that changes the device.
///
/// If no matching device advertises, the finder uses a remembered device after a delay. A remembered device with a
/// private address is not a candidate if it is not heard within a second, but another device of the same name is.
/// ``ChangedAddressSearch`` searches again if a remembered device with a private address is not connected soon.
struct DeviceFinder {
    let context: CommandContext
    let target: Target
    /// Whether the command changes the device, so that another device than the intended one must not be chosen.
    var changesDevice = false
    /// Called when the first matching device is heard.
    var onFirstMatch: @Sendable () -> Void = {}

    /// How long to wait for further matches. Most peripherals advertise at least once in this time.
    static let settling = Duration.seconds(1)
    /// How long to wait for other devices after an exact match, or after the only remembered one by name.
    static let exactSettling = Duration.milliseconds(150)
    /// The delay after which a remembered device is used although it does not advertise.
    static let silence = Duration.seconds(3)

    /// A connected device rarely advertises, so the delay only serves to find others with this part of a name.
    private func silence(_ known: KnownDevices.List) -> Duration {
        guard let only = known.candidates.only(), known.linked.contains(only),
            isKept(only) || target.isPartOfName(of: only)
        else { return Self.silence }
        return Self.settling
    }

    /// Whether the target names a remembered device so well that a link to it, or its advertisement, is enough.
    func names(_ candidate: DeviceCandidates.Candidate) -> Bool {
        target.isWholeWord(of: candidate) || !changesDevice && target.isPartOfName(of: candidate)
    }

    /// Whether an earlier command has kept the link. Such a device does not advertise, but one of the same name may.
    private func isKept(_ candidate: DeviceCandidates.Candidate) -> Bool {
        context.keptLinks.contains(LinkKey(candidate.peripheral))
    }

    private enum SearchEvent: Sendable {
        case heard(ScannedPeripheral)
        /// The wait for further matches has ended: for all, or for those of the same name.
        case settled(isFinal: Bool)
        /// The only remembered match by name was heard, and the wait for others of its name has ended.
        case confirmed(Peripheral)
        case silent
    }

    /// Emits the device and completes. Fails if several devices match. Never ends if no device matches.
    func find() -> Observable<DeviceCandidates.Candidate> {
        KnownDevices(context: context, target: target).list().flatMap {
            known -> Observable<DeviceCandidates.Candidate> in
            if case .address = target, let hit = try known.candidates.choose(for: target) { return .just(hit) }
            let hit = known.candidates.only {
                target.isWholeWord(of: $0) || known.linked.contains($0) && names($0)
            }
            if let hit, !isKept(hit) { return .just(hit) }
            return scan(remembered: known)
        }
    }

    private func scan(remembered known: KnownDevices.List) -> Observable<DeviceCandidates.Candidate> {
        let heard = context.manager.scanForPeripherals()
            .filter { target.match($0.peripheral, name: $0.name) != nil }
            .share()
        // With a short time limit, half of it is left for connecting.
        let half = context.options.setupTimeout / 2
        var events = [
            heard.map { SearchEvent.heard($0) },
            heard.take(1).flatMap { _ in
                onFirstMatch()
                return context.timer(min(Self.settling, half))
            }
            .map { _ in SearchEvent.settled(isFinal: true) },
            heard.filter { target.match($0.peripheral, name: $0.name) == .exact }.take(1)
                .flatMap { _ in context.timer(min(Self.exactSettling, half)) }
                .map { _ in SearchEvent.settled(isFinal: false) },
        ]
        if let only = known.candidates.only(where: names), !known.linked.contains(only) {
            events.append(
                heard.filter { $0.peripheral == only.peripheral }.take(1)
                    .flatMap { _ in context.timer(min(Self.exactSettling, half)) }
                    .map { _ in SearchEvent.confirmed(only.peripheral) })
        }
        if !known.candidates.isEmpty {
            events.append(context.timer(min(silence(known), half)).map { _ in SearchEvent.silent })
        }
        return Observable<SearchEvent>.merge(events)
            .scan(into: Search()) { search, event in try handle(event, in: &search, remembered: known) }
            .compactMap(\.result)
            .take(1)
    }

    private struct Search: Sendable {
        var heard = DeviceCandidates()
        var result: DeviceCandidates.Candidate?
    }

    private func handle(_ event: SearchEvent, in search: inout Search, remembered: KnownDevices.List) throws {
        switch event {
        case .heard(let sighting):
            search.heard.add(sighting, matching: target)
            // Ends the search at once if the target is an address, because no other device can match.
            if case .address = target { search.result = try search.heard.choose(for: target) }
        case .settled(let isFinal):
            let silent = remembered.exactOrLinked.removing(search.heard)
            // bluetoothd keeps a private address for 30 s after the device has changed it.
            let earlier = silent.removing(remembered.linked)
                .filter { search.heard.hasExact && $0.peripheral.hasPrivateAddress }
            guard isFinal || earlier.isEmpty else { return }
            search.result = try search.heard.adding(silent.removing(earlier)).choose(for: target)
        case .confirmed(let peripheral):
            // With another match, the search goes on, because the whole name of a third device may be the target.
            if let hit = search.heard.only(), hit.peripheral == peripheral { search.result = hit }
        case .silent:
            if search.heard.isEmpty { search.result = try remembered.candidates.choose(for: target) }
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
        var rssi: Int?
        /// Whether an advertisement was received, also one without an RSSI; false for a device that is only remembered.
        var isHeard = false
    }

    private var found: [BluetoothAddress: Candidate] = [:]

    init() {}

    init(_ sightings: [ScannedPeripheral], matching target: Target) {
        for sighting in sightings { add(sighting, matching: target) }
    }

    var isEmpty: Bool { found.isEmpty }

    /// Whether a device matches exactly.
    var hasExact: Bool { found.values.contains { $0.match == .exact } }

    /// The device that matches exactly; nil if there is none or more than one.
    var onlyExact: Candidate? {
        let exact = found.values.filter { $0.match == .exact }
        return exact.count == 1 ? exact.first : nil
    }

    /// Returns the device that matches exactly, or else the only match if it passes a test; nil if there are several.
    func only(where isAccepted: (Candidate) -> Bool = { _ in true }) -> Candidate? {
        guard !hasExact else { return onlyExact }
        guard found.count == 1, let candidate = found.values.first, isAccepted(candidate) else { return nil }
        return candidate
    }

    /// Returns whether a device is among the candidates.
    func contains(_ candidate: Candidate) -> Bool { found[candidate.peripheral.address] != nil }

    /// Returns the candidates together with those of others that are not among them.
    func adding(_ others: DeviceCandidates) -> DeviceCandidates {
        var all = self
        all.found.merge(others.found) { own, _ in own }
        return all
    }

    /// Returns the candidates that are not among others.
    func removing(_ others: DeviceCandidates) -> DeviceCandidates {
        var result = DeviceCandidates()
        result.found = found.filter { others.found[$0.key] == nil }
        return result
    }

    /// Returns the candidates that pass a test.
    func filter(_ isIncluded: (Candidate) -> Bool) -> DeviceCandidates {
        var result = DeviceCandidates()
        result.found = found.filter { isIncluded($0.value) }
        return result
    }

    mutating func add(_ sighting: ScannedPeripheral, matching target: Target) {
        let peripheral = sighting.peripheral
        guard let match = target.match(peripheral, name: sighting.name) else { return }
        found[peripheral.address] = Candidate(
            peripheral: peripheral, name: sighting.name, match: match, rssi: sighting.isCached ? nil : sighting.rssi,
            isHeard: !sighting.isCached)
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
            let address = candidate.peripheral.address
            return (candidate.peripheral.alias ?? candidate.name).map { "\(address) “\($0)”" } ?? "\(address)"
        }
        throw CLIError(
            .usage,
            "\(target) matches \(matching.count) devices: \(list.joined(separator: ", ")). "
                + "Give an address, or more of the name.")
    }
}
