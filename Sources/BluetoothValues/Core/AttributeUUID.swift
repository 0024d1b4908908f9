/// A UUID of 128 bits, as beacons and characteristics have it.
///
/// A 16-bit UUID abbreviates one on the Bluetooth base: `2A37` equals `00002A37-0000-1000-8000-00805F9B34FB`.
public struct AttributeUUID: Hashable, Sendable {
    /// The first eight bytes of the text as a number.
    public let high: UInt64
    /// The last eight bytes of the text as a number.
    public let low: UInt64

    /// Makes a UUID from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes the UUID that a 16-bit number abbreviates.
    public init(_ number: UInt16) { self.init(high: UInt64(number) << 32 | 0x1000, low: 0x8000_0080_5F9B_34FB) }

    /// Makes a UUID from 4 or 32 hexadecimal digits, with or without dashes; nil for any other text.
    public init?(_ text: String) {
        guard let bytes = HexText.bytes(text.filter { $0 != "-" }) else { return nil }
        if bytes.count == 2 { self.init(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) } else { self.init(bytes: bytes) }
    }

    /// Makes a UUID from 16 bytes in the order of the text; nil for another number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(bytes, at: 0)
    }

    /// Makes a UUID from the 16 bytes at an offset, which must exist.
    init(_ bytes: [UInt8], at offset: Int) {
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            halves.0 = halves.0 << 8 | UInt64(bytes[offset + index])
            halves.1 = halves.1 << 8 | UInt64(bytes[offset + index + 8])
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// The 16 bytes in the order of the text.
    public var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - $0 % 8 * 8)) }
    }

    /// The 16-bit number that abbreviates the UUID; nil if there is none.
    public var shortNumber: UInt16? {
        guard low == 0x8000_0080_5F9B_34FB, high & 0xFFFF_FFFF == 0x1000 else { return nil }
        return UInt16(exactly: high >> 32)
    }
}

extension AttributeUUID: CustomStringConvertible, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// The UUID in upper case: 4 digits if they are enough, otherwise 32 with dashes.
    public var description: String {
        if shortNumber != nil { return HexText.text(bytes[2..<4]) }
        let digits = HexText.text(bytes)
        var text = ""
        for (index, character) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(character)
        }
        return text
    }

    /// Makes the UUID that a 16-bit literal abbreviates.
    public init(integerLiteral number: UInt16) { self.init(number) }

    /// Makes a UUID from a literal. Traps if the literal is malformed.
    public init(stringLiteral text: String) {
        guard let uuid = AttributeUUID(text) else { preconditionFailure("“\(text)” is not a UUID.") }
        self = uuid
    }
}
