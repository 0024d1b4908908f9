/// Conversion between bytes and hexadecimal digits.
enum HexText {
    private static let capitals = Array("0123456789ABCDEF".utf8)

    /// Returns bytes as digits in upper case, with an ASCII character between the bytes if it is not nil.
    static func text(_ bytes: some Sequence<UInt8>, separator: UInt8? = nil) -> String {
        var digits: [UInt8] = []
        for byte in bytes {
            if let separator, !digits.isEmpty { digits.append(separator) }
            digits.append(capitals[Int(byte >> 4)])
            digits.append(capitals[Int(byte & 15)])
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns the bytes of digits in upper or lower case; nil for any other text.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            guard let digit = digit(character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? bytes : nil
    }

    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
