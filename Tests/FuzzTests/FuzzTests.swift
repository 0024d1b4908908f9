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

    /// `make fuzz` runs the same checks with ten million packets.
    @Test func `100,000 mutated packets cause no crash, and a well-formed one is read after each`() {
        let tally = PacketCampaign(seed: 1).run(0..<100_000)
        print(tally.text)
        #expect(tally.findings.isEmpty, "\(tally.findings)")
        // Each kind of bad input must occur often enough.
        #expect(tally.found > 50_000)
        #expect(tally.malformedEvents > 10_000)
        #expect(tally.truncated > 10_000)
        #expect(tally.zeroLength > 1_000)
        #expect(tally.wrongLength > 5_000)
        #expect(tally.repeated > 1_000)
    }
}
