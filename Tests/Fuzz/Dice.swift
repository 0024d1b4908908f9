/// A random number generator (SplitMix64). The seed and the case determine its numbers.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    /// Makes the generator of one case, so that the numbers do not depend on earlier cases.
    init(seed: UInt64, case number: Int) {
        state = seed &+ UInt64(bitPattern: Int64(number)) &* 0xD1B5_4A32_D192_ED03
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `limit` - 1. The limit is at least 1.
    mutating func roll(_ limit: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % limit }

    /// Returns true with a probability in percent.
    mutating func chance(_ percent: Int) -> Bool { roll(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
}
