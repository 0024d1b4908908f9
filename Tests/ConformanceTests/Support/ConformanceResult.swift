import Foundation
import RxBluetoothMocks

/// The transcript of a behaviour on a ground (a bus), compared with that of bluetoothd.
struct ConformanceResult {
    let behaviour: Behaviour
    let version: Version
    let ground: GroundName
    let seen: [String]
    private let expected: [String]

    init(of behaviour: Behaviour, _ version: Version, on ground: GroundName, seen: [String]) {
        self.behaviour = behaviour
        self.version = version
        self.ground = ground
        self.seen = seen
        expected = behaviour.transcript(on: version)
    }

    var isSame: Bool { seen == expected }

    /// The lines of both transcripts, as a diff.
    var comparison: String {
        let changes = seen.difference(from: expected)
        let removed = Dictionary(
            uniqueKeysWithValues: changes.removals.compactMap { change in
                if case .remove(let offset, let line, _) = change { (offset, line) } else { nil }
            })
        let inserted = Dictionary(
            uniqueKeysWithValues: changes.insertions.compactMap { change in
                if case .insert(let offset, let line, _) = change { (offset, line) } else { nil }
            })
        var lines: [String] = []
        var place = 0
        for (offset, line) in expected.enumerated() {
            while let new = inserted[place] {
                lines.append("+ \(new)")
                place += 1
            }
            if removed[offset] != nil {
                lines.append("- \(line)")
            } else {
                lines.append("  \(line)")
                place += 1
            }
        }
        while let new = inserted[place] {
            lines.append("+ \(new)")
            place += 1
        }
        return lines.joined(separator: "\n")
    }

    /// Writes a file for `make conformance`.
    ///
    /// The folder is `RXBLUETOOTH_CONFORMANCE`; in the virtual machine, a folder that is copied to the host. Writes
    /// nothing if the variable is not set.
    func write() throws {
        let environment = ProcessInfo.processInfo.environment
        guard var folder = environment["RXBLUETOOTH_CONFORMANCE"] else { return }
        if ground == .bluez { folder = (environment["LAB_OUT"] ?? "/tmp") + "/conformance" }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let number = Behaviour.all.firstIndex { $0.name == behaviour.name } ?? 0
        let place = GroundName.allCases.firstIndex(of: ground) ?? 0
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        try encoder.encode(Record(self, number: number))
            .write(to: URL(fileURLWithPath: "\(folder)/\(version)-\(place)-\(number).json"))
    }

    /// The contents of a file for `make conformance`.
    private struct Record: Encodable {
        let number: Int
        let name, version, ground: String
        let quirks: [String]
        let seen, expected: [String]
        /// Why the transcript may differ. Absent if it may not.
        let reason: String?
        let comparison: String
        /// Why the behaviour is not run on some versions.
        let exclusions: [String: String]

        init(_ result: ConformanceResult, number: Int) {
            self.number = number
            name = result.behaviour.name
            quirks = result.behaviour.quirks.map { "Q\($0)" }
            version = result.version.rawValue
            ground = result.ground.rawValue
            seen = result.seen
            expected = result.expected
            reason = result.behaviour.differences[result.ground]?.reason
            comparison = result.comparison
            exclusions = Dictionary(
                uniqueKeysWithValues: result.behaviour.exclusions.map { ($0.key.rawValue, $0.value) })
        }
    }
}
