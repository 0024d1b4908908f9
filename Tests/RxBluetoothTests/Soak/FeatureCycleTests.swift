import Foundation
import SoakTesting
import TestTraits
import Testing

/// Repeats cycles with all kinds of features, without faults, and compares the resources.
///
/// The test runs in its own process, because the number of objects of Rx is counted per process.
struct FeatureCycleTests {
    /// The number of cycles; `make soak` sets it.
    private static let cycles =
        ProcessInfo.processInfo.environment["RXBLUETOOTH_SOAK"].flatMap { Int($0) } ?? (Ground.isPrivateBus ? 5 : 100)

    @Test(.proves(.S92), .timeLimit(.minutes(60)))
    func `Cycles of services, centrals, channels and exclusive access leak nothing`() async {
        await #expect(processExitsWith: .success) {
            let cycle = FeatureCycle()
            for _ in 0..<3 { cycle.run() }
            let before = cycle.rest()
            cycle.run()
            let one = cycle.stage.footprint()
            for _ in 1..<Self.cycles { cycle.run() }
            let many = cycle.stage.footprint()
            let after = cycle.rest()
            let both: Comment = "At rest before \(before); at rest after \(after)"
            #expect(many.timers == one.timers, "After one cycle \(one); after many \(many)")
            #expect(after.objects == before.objects, both)
            #expect(after.descriptors == before.descriptors, both)
            #expect(after.matchRules == before.matchRules, both)
            #expect(after.exports == before.exports, both)
            #expect(after.timers == before.timers, both)
            // The comparisons above are useful only if the counts are not zero.
            #expect(before.objects > 0 && before.matchRules > 0 && (Ground.isPrivateBus || before.exports > 0))
        }
    }
}
