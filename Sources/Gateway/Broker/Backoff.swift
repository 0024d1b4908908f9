/// Pauses between attempts, which double up to a limit and vary, so that many gateways do not connect at once.
struct Backoff {
    private let initial: Duration
    private let maximum: Duration
    private var next: Duration
    private var seed: UInt64

    init(initial: Duration, maximum: Duration, seed: UInt64) {
        self.initial = initial
        self.maximum = max(initial, maximum)
        self.seed = seed
        next = initial
    }

    /// The pause before the next attempt: between half of the current delay and the whole.
    mutating func take() -> Duration {
        defer { next = min(next * 2, maximum) }
        return vary(next)
    }

    /// The pause after a failure that only a person can correct.
    mutating func takeMaximum() -> Duration {
        next = maximum
        return vary(maximum)
    }

    mutating func reset() { next = initial }

    private mutating func vary(_ delay: Duration) -> Duration {
        // SplitMix64.
        seed &+= 0x9E37_79B9_7F4A_7C15
        var bits = seed
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return delay / 2 + delay / 2 * (Double(bits >> 11) / Double(1 << 53))
    }
}
