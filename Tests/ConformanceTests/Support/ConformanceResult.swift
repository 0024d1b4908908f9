import Foundation

/// The transcript of a behaviour on a ground (a bus), compared with that of bluetoothd 5.66.
struct ConformanceResult {
    let behaviour: Behaviour
    let ground: GroundName
    let seen: [String]
    /// How long the program ran.
    let duration: Duration

    init(of behaviour: Behaviour, on ground: GroundName, seen: [String], in duration: Duration) {
        self.duration = duration
        self.behaviour = behaviour
        self.ground = ground
        self.seen = seen
    }

    var isSame: Bool { seen == behaviour.transcript }

    /// The word for this result in the table: same or differs.
    var word: String { isSame ? "same" : "differs" }

    /// The lines of both transcripts, as a diff.
    var comparison: String {
        let changes = seen.difference(from: behaviour.transcript)
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
        for (offset, line) in behaviour.transcript.enumerated() {
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

    /// Writes two files for `make conformance`: one line with the comparison, and the whole transcript.
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
        let quirks = behaviour.quirks.map { "Q\($0)" }.joined(separator: " ")
        let reason = behaviour.differences[ground]?.reason ?? ""
        let difference = comparison.split(separator: "\n").filter { !$0.hasPrefix("  ") }.joined(separator: "\\n")
        let fields = [String(number), behaviour.name, quirks, ground.rawValue, word, reason, difference, "\(duration)"]
        try fields.joined(separator: "\t").appending("\n")
            .write(toFile: "\(folder)/\(place)-\(number).tsv", atomically: true, encoding: .utf8)
        try ([behaviour.name] + seen).joined(separator: "\n").appending("\n")
            .write(toFile: "\(folder)/\(place)-\(number).seen", atomically: true, encoding: .utf8)
    }
}
