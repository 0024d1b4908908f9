import Dispatch
import Rx
import RxBluetoothSupport

/// Pauses that double after each failure, with a random variation.
struct Backoff {
    let first: Duration
    let longest: Duration
    let jitter: Double
    private var seeded: SplitMix64?

    /// The shortest pause. It prevents a busy loop of failures, whatever the settings are.
    static let shortest = Duration.milliseconds(10)

    init(first: Duration, longest: Duration, jitter: Double = 0, seed: UInt64? = nil) {
        self.longest = min(max(Self.shortest, longest), .longestTimer)
        self.first = max(Self.shortest, first)
        self.jitter = jitter.isNaN ? 0 : min(1, max(0, jitter))
        seeded = seed.map { SplitMix64(seed: $0) }
    }

    /// Returns the pause after a number of consecutive failures.
    mutating func pause(after failures: Int) -> Duration {
        let pause = first.doubled(failures, atMost: longest)
        guard jitter > 0 else { return pause }
        return min(longest, max(Self.shortest, pause * (1 + jitter * chance())))
    }

    /// Returns a random number from -1 to 1.
    private mutating func chance() -> Double {
        guard var generator = seeded else { return .random(in: -1...1) }
        defer { seeded = generator }
        return .random(in: -1...1, using: &generator)
    }
}

extension Duration {
    /// The longest delay of a timer: about 285 years.
    static let longestTimer = Duration.seconds(9_000_000_000)

    /// This duration, limited to what a timer supports.
    var timer: Duration { min(max(.zero, self), .longestTimer) }

    /// This duration for schedulers, limited to what a timer supports.
    var timeInterval: DispatchTimeInterval { DispatchTimeInterval(timer) }

    /// Returns this duration doubled `times` times, but at most `limit`.
    func doubled(_ times: Int, atMost limit: Duration) -> Duration {
        let factor = 1 << min(max(0, times), 40)
        return self > limit / factor ? limit : self * factor
    }
}
