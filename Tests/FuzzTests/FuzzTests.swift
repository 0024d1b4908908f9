import DBus
import Testing

@testable import fuzz

struct FuzzTests {
    /// `make fuzz` runs the same checks with ten million messages.
    @Test func `20,000 mutated messages cause no crash, and each operation has one outcome`() throws {
        let tally = try Campaign(seed: 1).run(0..<20_000)
        print(tally.lines.joined(separator: "\n"))
        #expect(tally.findings.isEmpty, "\(tally.findings)")
        #expect(tally.cases == 20_000)
        // Enough of the messages must reach each part of the client that they test.
        #expect(tally.accepted > 8_000)
        #expect(tally.signals > 3_000)
        #expect(tally.answers > 1_000)
        #expect(tally.rejected > 500)
        #expect(tally.advertisements > 1_000)
        #expect(tally.notified > 100)
        #expect(tally.errors > 100)
    }
}
