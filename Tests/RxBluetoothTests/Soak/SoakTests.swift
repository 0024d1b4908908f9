import Foundation
import RxBluetooth
import SoakTesting
import TestTraits
import Testing

/// A gateway's life: cycles of scan, connect, read, notify and drop, with one manager, while things go wrong at random.
struct SoakTests {
    private static let variables = ProcessInfo.processInfo.environment
    /// `make soak` says how many.
    private static let cycles = variables["RXBLUETOOTH_SOAK"].flatMap { Int($0) }
    private static let seed = variables["RXBLUETOOTH_SOAK_SEED"].flatMap { UInt64($0) } ?? 1

    /// In a process of its own, as there is one count of Rx's objects for the process.
    @Test(.proves(.S92), .timeLimit(.minutes(5)))
    func `Cycles with random faults end with known outcomes and leak nothing`() async {
        await #expect(processExitsWith: .success) {
            let world = SoakWorld(seed: 7)
            var samples: [Footprint] = []
            for number in 1...120 {
                world.cycle(number)
                if number % 10 == 0 { samples.append(world.footprint()) }
            }
            #expect(world.findings.isEmpty, "\(world.findings)")
            // As below: what leaks is there in all later samples.
            let (early, late) = (samples.prefix(6), samples.suffix(6))
            let all: Comment = "\(samples)"
            #expect(late.map(\.objects).min() == early.map(\.objects).min(), all)
            #expect(late.map(\.descriptors).min() == early.map(\.descriptors).min(), all)
            #expect(late.map(\.matchRules).max() == early.map(\.matchRules).max(), all)
            #expect(late.map(\.timers).min() == early.map(\.timers).min(), all)
            // That it is worth something: all ways to end are there.
            #expect(world.tally[.done, default: 0] > 60)
            #expect(world.tally[.givenUp, default: 0] > 10)
            #expect(world.tally.keys.count > 6)
        }
    }

    @Test(.enabled(if: cycles != nil))
    func `Soak cycles end with known outcomes, and memory does not grow`() {
        let (world, cycles) = (SoakWorld(seed: Self.seed), Self.cycles ?? 0)
        var samples: [Footprint] = []
        for number in 1...max(20, cycles) {
            world.cycle(number)
            guard number % max(1, cycles / 20) == 0 else { continue }
            samples.append(world.footprint())
            print("After \(number) cycles: \(samples[samples.count - 1])")
        }
        for (outcome, count) in world.tally.sorted(by: { $0.value > $1.value }) { print("\(count)  \(outcome)") }
        print("The longest cycle took \(world.longest) ms of virtual time.")
        for finding in world.findings { print(finding) }
        #expect(world.findings.isEmpty)
        // What is replaced with the next cycle may be there or not; what leaks is there in all later samples.
        let (early, late) = (samples.prefix(5), samples.suffix(5))
        #expect(late.map(\.objects).min() == early.map(\.objects).min())
        #expect(late.map(\.descriptors).min() == early.map(\.descriptors).min())
        #expect(late.map(\.matchRules).max() == early.map(\.matchRules).max())
        // 4 MiB, for the heap breathes.
        #expect(late.map(\.resident).min() ?? 0 < (early.map(\.resident).min() ?? 0) + 1024)
    }
}
