import Foundation
import RxBluetooth
import SoakTesting
import TestTraits
import Testing

/// Cycles of scan, connect, read, notify and disconnect with one manager and random faults.
struct SoakTests {
    private static let variables = ProcessInfo.processInfo.environment
    /// The number of cycles, which `make soak` sets; nil otherwise.
    private static let cycles = variables["RXBLUETOOTH_SOAK"].flatMap { Int($0) }
    private static let seed = variables["RXBLUETOOTH_SOAK_SEED"].flatMap { UInt64($0) } ?? 1

    /// Runs in its own process, because the number of objects of Rx is counted per process.
    @Test(.proves(.S92), .timeLimit(.minutes(5)))
    func `Cycles with random faults end with known outcomes and leak nothing`() async {
        await #expect(processExitsWith: .success) {
            let runner = SoakRunner(seed: 7)
            var samples: [Footprint] = []
            for number in 1...120 {
                runner.cycle(number)
                if number % 10 == 0 { samples.append(runner.footprint()) }
            }
            #expect(runner.findings.isEmpty, "\(runner.findings)")
            // Compares the lowest counts of early and late samples, because a leak raises all later samples.
            let (early, late) = (samples.prefix(6), samples.suffix(6))
            let all: Comment = "\(samples)"
            #expect(late.map(\.objects).min() == early.map(\.objects).min(), all)
            #expect(late.map(\.descriptors).min() == early.map(\.descriptors).min(), all)
            #expect(late.map(\.matchRules).max() == early.map(\.matchRules).max(), all)
            #expect(late.map(\.timers).min() == early.map(\.timers).min(), all)
            #expect(late.map(\.exports).max() == early.map(\.exports).max(), all)
            // The random cycles must have reached all kinds of outcomes.
            #expect(runner.tally[.done, default: 0] > 60)
            #expect(runner.tally[.givenUp, default: 0] > 10)
            #expect(runner.tally.keys.count > 6)
        }
    }

    @Test(.enabled(if: cycles != nil))
    func `Soak cycles end with known outcomes, and memory does not grow`() {
        let (runner, cycles) = (SoakRunner(seed: Self.seed), Self.cycles ?? 0)
        var samples: [Footprint] = []
        for number in 1...max(20, cycles) {
            runner.cycle(number)
            guard number % max(1, cycles / 20) == 0 else { continue }
            samples.append(runner.footprint())
            print("After \(number) cycles: \(samples[samples.count - 1])")
        }
        for (outcome, count) in runner.tally.sorted(by: { $0.value > $1.value }) { print("\(count)  \(outcome)") }
        print("The longest cycle took \(runner.longest) ms of virtual time.")
        for finding in runner.findings { print(finding) }
        #expect(runner.findings.isEmpty)
        // Compares the lowest counts, because a sample can include objects of the last cycle. A leak raises all later
        // samples.
        let (early, late) = (samples.prefix(5), samples.suffix(5))
        #expect(late.map(\.objects).min() == early.map(\.objects).min())
        #expect(late.map(\.descriptors).min() == early.map(\.descriptors).min())
        #expect(late.map(\.matchRules).max() == early.map(\.matchRules).max())
        // Permits 1,024 pages more, because the size of the heap varies by up to 4 MiB.
        #expect(late.map(\.resident).min() ?? 0 < (early.map(\.resident).min() ?? 0) + 1024)
    }
}
