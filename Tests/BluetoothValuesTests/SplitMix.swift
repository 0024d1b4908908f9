/// A deterministic random number generator: SplitMix64.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    /// A number below a limit, which is often one of the ends of the range.
    mutating func edge(below limit: Int) -> Int {
        switch next() % 8 {
        case 0: 0
        case 1: limit - 1
        default: Int(truncatingIfNeeded: next() >> 1) % limit
        }
    }
}
