/// Conversion between numbers and hexadecimal digits, without Foundation.
enum Hex {
    private static let capitals = Array("0123456789ABCDEF".utf8)

    /// Returns the value of an ASCII digit in upper or lower case; nil for any other byte.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns a number as digits in upper case, with leading zeros to the width of its type.
    static func text<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
        var bytes: [UInt8] = []
        var shift = Number.bitWidth - 4
        while shift >= 0 {
            bytes.append(capitals[Int(truncatingIfNeeded: number >> Number(shift)) & 0xF])
            shift -= 4
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
