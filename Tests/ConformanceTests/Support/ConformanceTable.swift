import Foundation

/// The table in `docs/conformance.md`, which `make conformance` writes.
struct ConformanceTable {
    struct Row {
        let name: String
        let cells: [GroundName: String]
    }

    let rows: [Row]

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/conformance.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        rows = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), fields.count == 5, fields[0] != "Behaviour" else { return nil }
            return Row(name: fields[0], cells: Dictionary(uniqueKeysWithValues: zip(GroundName.allCases, fields[2...])))
        }
    }
}
