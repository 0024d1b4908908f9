import FoundationEssentials
import RxBluetoothMocks
import Testing

/// The table of quirks in the documentation.
struct QuirkTableTests {
    @Test func `It has every number once, and its switches are those that there are`() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let data = try #require(FileManager.default.contents(atPath: "/\(folder)/Mocks/Mocks.docc/Quirks.md"))
        let rows = String(decoding: data, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("| Q") }
            .map { $0.split(separator: "|").map { $0.filter { $0 != " " } } }
        #expect(rows.map { $0[0] } == (1...124).map { "Q\($0)" })
        #expect(rows.allSatisfy { ["switch", "always", "control", "cannot"].contains($0[1]) })
        let switches = rows.filter { $0[1] == "switch" }.map { $0[0] }
        #expect(switches == Quirk.allCases.map { "Q\($0.rawValue)" })
    }
}
