import Dispatch
import Rx
import RxBluetoothSupport

/// Pauses that double from one failure to the next, each longer or shorter by chance.
struct Backoff {
    let first: Duration
    let longest: Duration
    let jitter: Double
    private var seeded: SplitMix64?

    /// The shortest pause, so that whatever was asked for, a failure at once is not repeated without end.
    static let shortest = Duration.milliseconds(10)

    init(first: Duration, longest: Duration, jitter: Double = 0, seed: UInt64? = nil) {
        self.longest = min(max(Self.shortest, longest), .longestTimer)
        self.first = max(Self.shortest, first)
        self.jitter = jitter.isNaN ? 0 : min(1, max(0, jitter))
        seeded = seed.map { SplitMix64(seed: $0) }
    }

    /// The pause after so many failures in a row.
    mutating func pause(after failures: Int) -> Duration {
        let pause = first.doubled(failures, atMost: longest)
        guard jitter > 0 else { return pause }
        return min(longest, max(Self.shortest, pause * (1 + jitter * chance())))
    }

    /// From -1 to 1.
    private mutating func chance() -> Double {
        guard var generator = seeded else { return .random(in: -1...1) }
        defer { seeded = generator }
        return .random(in: -1...1, using: &generator)
    }
}

extension Duration {
    /// The longest time that a timer waits: some centuries.
    static let longestTimer = Duration.seconds(9_000_000_000)

    /// Itself, within what a timer can wait.
    var timer: Duration { min(max(.zero, self), .longestTimer) }

    /// The same length for schedulers; never negative, and at most some centuries.
    var timeInterval: DispatchTimeInterval { DispatchTimeInterval(timer) }

    /// Itself, doubled so many times; `limit` if that is shorter.
    func doubled(_ times: Int, atMost limit: Duration) -> Duration {
        let factor = 1 << min(max(0, times), 40)
        return self > limit / factor ? limit : self * factor
    }
}
