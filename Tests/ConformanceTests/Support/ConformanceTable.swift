import Foundation
import RxBluetoothMocks

/// The table in `docs/conformance.md`, which `make conformance` writes.
struct ConformanceTable {
    struct Row {
        let name: String
        /// The results: “same”, “not run”, or “differs: ” and the grounds that differ.
        let cells: [Version: String]
    }

    let rows: [Row]

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/conformance.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        rows = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), fields.count == 2 + Version.allCases.count, fields[0] != "Behaviour"
            else { return nil }
            return Row(name: fields[0], cells: Dictionary(uniqueKeysWithValues: zip(Version.allCases, fields[2...])))
        }
    }

    /// Returns whether the table says that a behaviour differs on a ground. Nil if the table has no result.
    func differs(_ behaviour: Behaviour, _ version: Version, on ground: GroundName) -> Bool? {
        guard let cell = rows.first(where: { $0.name == behaviour.name })?.cells[version], cell != "not run"
        else { return nil }
        return cell.contains(ground.rawValue)
    }
}
