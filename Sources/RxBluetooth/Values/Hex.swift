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
        var text: [UInt8] = []
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> Number(shift)), to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a byte as two digits in upper case.
    static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(capitals[Int(byte >> 4)])
        text.append(capitals[Int(byte & 0xF)])
    }
}
