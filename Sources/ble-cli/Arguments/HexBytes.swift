/// Bytes as hexadecimal text, in both directions.
enum HexBytes {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns the digits of bytes in lower case without separators.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns a number of 16 bits as four digits in lower case.
    static func text(_ number: UInt16) -> String { text([UInt8(number >> 8), UInt8(number & 0xFF)]) }

    /// Reads bytes of two digits each, in groups separated by blanks, colons or dashes.
    ///
    /// Each group may start with `0x`: `0b16`, `0x0b16`, `0b 16`, `0b:16`. Throws for an odd number of digits in a
    /// group, which is ambiguous. An empty text means no bytes; a text of separators only is an error.
    static func parse(_ text: String) throws(CLIError) -> [UInt8] {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        for group in text.split(whereSeparator: { " \t:-".contains($0) }) {
            let hasPrefix = group.hasPrefix("0x") || group.hasPrefix("0X")
            let digits = Array((hasPrefix ? group.dropFirst(2) : group).utf8)
            let values = digits.compactMap(value)
            guard values.count == digits.count, !digits.isEmpty else { throw malformed(text, "it is not hexadecimal") }
            guard values.count.isMultiple(of: 2) else { throw malformed(text, "a byte has two digits") }
            for place in stride(from: 0, to: values.count, by: 2) {
                bytes.append(values[place] << 4 | values[place + 1])
            }
        }
        guard !bytes.isEmpty else {
            throw CLIError(
                .usage, "“\(text)” has no bytes. Give bytes such as 0b16 or 0x0b:16, or \"\" for an empty value.")
        }
        return bytes
    }

    private static func malformed(_ text: String, _ why: String) -> CLIError {
        CLIError(.usage, "“\(text)” is not a value: \(why). Give bytes such as 0b16 or 0x0b:16.")
    }

    /// Returns the value of a hexadecimal digit; nil for any other character.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
