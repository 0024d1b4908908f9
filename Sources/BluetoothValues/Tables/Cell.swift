/// The place of an integer in a payload.
///
/// The numbers are stored in single bytes, because decoding copies tens of places.
struct Cell: Hashable, Sendable {
    private var first: UInt8
    private var size: UInt8
    private var shiftCount: UInt8
    private var bitCount: UInt8
    private var extra: UInt16?
    /// Whether the integer is in two's complement.
    let isSigned: Bool
    /// Whether the first byte is the most significant one.
    private(set) var isBigEndian: Bool

    /// Makes a place of bits in the bytes from the offset on. Shifted bits are to the right of the integer.
    init(
        offset: Int, byteCount: Int, shift: Int = 0, bits: Int, isSigned: Bool = false, isBigEndian: Bool = false
    ) {
        first = UInt8(offset)
        size = UInt8(byteCount)
        shiftCount = UInt8(shift)
        bitCount = UInt8(bits)
        self.isSigned = isSigned
        self.isBigEndian = isBigEndian
    }

    /// The first byte.
    var offset: Int { Int(first) }
    /// The number of bytes that contain the bits: 1 to 8.
    var byteCount: Int { Int(size) }
    /// The number of bits to the right of the integer.
    var shift: Int { Int(shiftCount) }
    /// The number of bits of the integer: 1 to 63.
    var bits: Int { Int(bitCount) }
    /// A bit elsewhere that is appended as the least significant one: the number of the bit in the whole payload.
    var extraBit: Int? { extra.map { Int($0) } }

    static func u8(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 1, bits: 8) }
    static func s8(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 1, bits: 8, isSigned: true) }
    static func u16(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 2, bits: 16) }
    static func s16(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 2, bits: 16, isSigned: true) }
    static func u24(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 3, bits: 24) }
    static func s24(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 3, bits: 24, isSigned: true) }
    static func u32(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 4, bits: 32) }
    static func s32(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 4, bits: 32, isSigned: true) }
    static func u48(_ offset: Int) -> Cell { Cell(offset: offset, byteCount: 6, bits: 48) }

    /// Some bits of the bytes that begin at the offset.
    static func bits(_ offset: Int, bytes: Int = 1, from shift: Int, count: Int, signed: Bool = false) -> Cell {
        Cell(offset: offset, byteCount: bytes, shift: shift, bits: count, isSigned: signed)
    }

    /// The same place with the most significant byte first.
    var bigEndian: Cell {
        var cell = self
        cell.isBigEndian = true
        return cell
    }

    /// The same place with one more, least significant bit: bit `bit` of byte `offset`.
    func withLowBit(_ offset: Int, _ bit: Int) -> Cell {
        var cell = self
        cell.extra = UInt16(offset * 8 + bit)
        return cell
    }

    /// The first byte after the integer.
    var end: Int {
        let end = Int(first) &+ Int(size)
        guard let extra else { return end }
        return max(end, Int(extra / 8) + 1)
    }

    /// The smallest integer that fits.
    var minimum: Int64 { isSigned ? -(1 << Int64(width - 1)) : 0 }
    /// The largest integer that fits.
    var maximum: Int64 { isSigned ? 1 << Int64(width - 1) - 1 : 1 << Int64(width) - 1 }

    private var width: Int { bits + (extraBit == nil ? 0 : 1) }

    /// Returns the integer; nil if it is not completely within the bytes. Bytes before `start` are not read.
    func read(_ bytes: [UInt8], start: Int = 0) -> Int64? {
        guard start + end <= bytes.count else { return nil }
        let place = start + offset
        var number: UInt64
        switch size {
        case 1: number = UInt64(bytes[place])
        case 2:
            let pair = UInt64(bytes[place]) << 8 | UInt64(bytes[place + 1])
            number = isBigEndian ? pair : pair >> 8 | (pair & 0xFF) << 8
        default:
            number = 0
            for index in 0..<byteCount {
                number = number << 8 | UInt64(bytes[place + (isBigEndian ? index : byteCount - 1 - index)])
            }
        }
        number = number &>> UInt64(shiftCount) & (1 &<< UInt64(bitCount) &- 1)
        if let extra { number = number << 1 | UInt64(bytes[start + Int(extra / 8)] >> UInt8(extra % 8) & 1) }
        guard isSigned, number &>> UInt64(width &- 1) == 1 else { return Int64(truncatingIfNeeded: number) }
        return Int64(truncatingIfNeeded: number) &- 1 &<< Int64(width)
    }

    /// Writes the integer into bytes that are long enough; returns false if it does not fit.
    func write(_ value: Int64, to bytes: inout [UInt8]) -> Bool {
        guard value >= minimum, value <= maximum, end <= bytes.count else { return false }
        var number = UInt64(bitPattern: value)
        if let extraBit {
            bytes[extraBit / 8] |= UInt8(truncatingIfNeeded: number & 1) << UInt8(extraBit % 8)
            number >>= 1
        }
        number = (number & (1 << UInt64(bits) - 1)) << UInt64(shift)
        for index in 0..<byteCount {
            let place = isBigEndian ? byteCount - 1 - index : index
            bytes[offset + place] |= UInt8(truncatingIfNeeded: number >> UInt64(index * 8))
        }
        return true
    }
}

/// The conversion of a stored integer to a value: (integer × multiplier + offset) / divisor.
///
/// All three are integers, so that a value is the floating-point number nearest to its decimal text.
struct Scale: Hashable, Sendable {
    var multiplier: Int32 = 1
    var divisor: Int32 = 1
    var offset: Int32 = 0

    static let one = Scale()
    static let tenth = Scale(divisor: 10)
    static let hundredth = Scale(divisor: 100)
    static let thousandth = Scale(divisor: 1000)

    /// The integer divided by a number.
    static func over(_ divisor: Int32) -> Scale { Scale(divisor: divisor) }
    /// The integer times a number.
    static func times(_ multiplier: Int32, over divisor: Int32 = 1) -> Scale {
        Scale(multiplier: multiplier, divisor: divisor)
    }
    /// The conversion with a number that is added before the division.
    func plus(_ offset: Int32) -> Scale { Scale(multiplier: multiplier, divisor: divisor, offset: offset) }

    func value(_ integer: Int64) -> Double {
        let (product, overflow) = integer.multipliedReportingOverflow(by: Int64(multiplier))
        let (sum, sumOverflow) = product.addingReportingOverflow(Int64(offset))
        if overflow || sumOverflow { return (Double(integer) * Double(multiplier) + Double(offset)) / Double(divisor) }
        return Double(sum) / Double(divisor)
    }

    /// Returns the integer nearest to a value; nil if it is not finite or too large.
    func integer(_ value: Double) -> Int64? {
        Int64(exactly: ((value * Double(divisor) - Double(offset)) / Double(multiplier)).rounded())
    }
}
