import Testing

@testable import Gateway

@Suite struct MinimumIntervalTests {
    @Test func `It is allowed at once, and again after the interval since it happened`() {
        var lines = MinimumInterval(.seconds(60))
        #expect(lines.earliest(at: .seconds(5)) == .seconds(5))
        let allowed = [5, 6, 64, 65, 66, 200, 201].filter { lines.take(at: .seconds($0)) }
        #expect(allowed == [5, 65, 200])
        #expect(lines.earliest(at: .seconds(201)) == .seconds(260))
        #expect(lines.earliest(at: .seconds(300)) == .seconds(300))
    }

    @Test func `What happens in any case begins the interval again`() {
        var lines = MinimumInterval(.seconds(60))
        lines.happened(at: .seconds(10))
        lines.happened(at: .seconds(30))
        let allowed = [89, 90].filter { lines.take(at: .seconds($0)) }
        #expect(allowed == [90])
    }
}
