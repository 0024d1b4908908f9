/// Changes the bytes of a message. libdbus refuses most results; the others are unusual but valid messages.
struct WireMutator {
    var dice: Dice
    private static let header = 16

    /// Makes one to four changes, and returns the changed bytes. Some changes copy pieces of `other`.
    mutating func mutate(_ message: [UInt8], with other: [UInt8]) -> [UInt8] {
        var bytes = message
        for _ in 0..<(dice.chance(60) ? 1 : 2 + dice.roll(3)) where bytes.count > Self.header { change(&bytes, other) }
        // Corrects the length in the header in most cases, because libdbus then accepts more messages.
        if bytes.count != message.count, dice.chance(60) { fixLength(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
        let place = place(in: bytes)
        switch dice.roll(12) {
        case 0...3: bytes[place] ^= 1 << UInt8(dice.roll(8))
        case 4:
            bytes[place] = dice.pick([
                0, 1, 0x7F, 0x80, 0xFF, UInt8(ascii: "/"), UInt8(ascii: "0"), UInt8(dice.roll(256)),
            ])
        case 5:
            bytes[place] = UInt8(
                ascii: dice.pick(["y", "b", "n", "q", "i", "u", "s", "o", "g", "h", "a", "v", "(", "{"]))
        case 6, 7: word(&bytes, at: place & ~3)
        case 8: bytes.removeSubrange((dice.chance(50) ? place : bytes.count - 1)...)
        case 9: bytes.removeSubrange(place..<min(bytes.count, place + 1 + dice.roll(16)))
        case 10:
            let end = min(bytes.count, place + 1 + dice.roll(64))
            bytes.insert(contentsOf: bytes[place..<end], at: dice.chance(50) ? place : bytes.count)
        default:
            // Copies the piece from the same offset in the other message, so that it often has the correct alignment.
            guard place < other.count else { return }
            let count = min(8 << dice.roll(5), bytes.count - place, other.count - place)
            bytes.replaceSubrange(place..<place + count, with: other[place..<place + count])
        }
    }

    /// Returns a random offset: in three of four cases in the body, otherwise anywhere.
    private mutating func place(in bytes: [UInt8]) -> Int {
        let body = Self.body(of: bytes)
        return dice.chance(75) && body < bytes.count ? body + dice.roll(bytes.count - body) : dice.roll(bytes.count)
    }

    /// Changes a number or a length of four bytes, by little or by much.
    private mutating func word(_ bytes: inout [UInt8], at place: Int) {
        guard place + 4 <= bytes.count else { return }
        let old = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
        let new = dice.pick([
            0, 1, old &+ 1, old &- 1, old &+ 8, old &* 2, 0x7FFF_FFFF, 0x8000_0000, .max, 64 << 20, (64 << 20) + 1,
        ])
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: new >> UInt32(8 * index)) }
    }

    /// Returns the offset of the body. Source: D-Bus specification, "Message Format".
    private static func body(of bytes: [UInt8]) -> Int {
        guard bytes.count >= header else { return bytes.count }
        let fields = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << (8 * $1) }
        return (header + fields + 7) & ~7
    }

    private func fixLength(_ bytes: inout [UInt8]) {
        let count = bytes.count - Self.body(of: bytes)
        guard bytes.count >= Self.header, count >= 0 else { return }
        for index in 0..<4 { bytes[4 + index] = UInt8(truncatingIfNeeded: count >> (8 * index)) }
    }
}
