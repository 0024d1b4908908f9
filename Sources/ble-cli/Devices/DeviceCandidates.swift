import RxBluetooth

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
