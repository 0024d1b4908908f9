import RxBluetooth

/// The form of a value as text, for both directions: `write` reads it, `read` and `notify` print it.
enum ValueFormat: Hashable, Sendable {
    /// Two hexadecimal digits for each byte.
    case hex
    case utf8
    case base64
    /// The bytes themselves.
    case raw
    /// Integers in two's complement or without a sign.
    case integers(bytes: Int, isSigned: Bool, isBigEndian: Bool)
    /// Floating-point numbers of IEEE 754 with 4 or 8 bytes.
    case floats(bytes: Int, isBigEndian: Bool)

    /// The names for help texts and errors.
    static let choices =
        "hex, utf8, base64, raw, uint8, int8, uint16, int16, uint24, int24, uint32, int32, uint64, int64, float or "
        + "double"

    /// Reads a name. Numbers are little-endian, as Bluetooth defines it, unless the name ends with `be`.
    init(parsing text: String) throws(CLIError) {
        let name = text.trimmed.lowercased()
        switch name {
        case "hex": self = .hex
        case "utf8", "utf-8", "text": self = .utf8
        case "base64": self = .base64
        case "raw": self = .raw
        default:
            guard let number = Self.number(name) else {
                throw CLIError(
                    .usage,
                    "“\(text)” is not a format. Give \(Self.choices); a number may end with le or be, as in uint16be.")
            }
            self = number
        }
    }

    private static func number(_ name: String) -> ValueFormat? {
        let isBigEndian = name.hasSuffix("be")
        // The name double also ends with le.
        let kind = isBigEndian || (name.hasSuffix("le") && name != "double") ? String(name.dropLast(2)) : name
        switch kind {
        case "float", "float32": return .floats(bytes: 4, isBigEndian: isBigEndian)
        case "double", "float64": return .floats(bytes: 8, isBigEndian: isBigEndian)
        default:
            for bits in [8, 16, 24, 32, 64] {
                if kind == "uint\(bits)" {
                    return .integers(bytes: bits / 8, isSigned: false, isBigEndian: isBigEndian)
                }
                if kind == "int\(bits)" { return .integers(bytes: bits / 8, isSigned: true, isBigEndian: isBigEndian) }
            }
            return nil
        }
    }

    /// Returns the bytes of a text. Several numbers are separated by spaces or commas.
    func encode(_ text: String) throws(CLIError) -> [UInt8] {
        switch self {
        case .hex:
            let trimmed = text.trimmed
            // A text of spaces alone is an error, as one of other separators is.
            return try HexBytes.parse(trimmed.isEmpty ? text : trimmed)
        case .utf8, .raw: return Array(text.utf8)
        case .base64: return try Base64.decode(text)
        case .integers, .floats:
            let words = text.split { $0.isWhitespace || $0 == "," }
            guard !words.isEmpty else { throw CLIError(.usage, "The value has no numbers. \(advice)") }
            var bytes: [UInt8] = []
            for word in words {
                bytes += isBigEndian ? try littleEndian(of: word).reversed() : try littleEndian(of: word)
            }
            return bytes
        }
    }

    /// Returns the bytes as text; nil if they do not have this format. The text may control a terminal.
    func text(_ bytes: [UInt8]) -> String? {
        switch self {
        case .hex: return HexBytes.text(bytes)
        case .base64: return Base64.encode(bytes)
        case .utf8, .raw: return String(validating: bytes, as: UTF8.self)
        case .integers(let size, let isSigned, _):
            return numbers(bytes, size) { bits in
                guard isSigned else { return String(bits) }
                return String(Int64(bitPattern: bits << UInt64(64 - 8 * size)) >> Int64(64 - 8 * size))
            }
        case .floats(let size, _):
            return numbers(bytes, size) { bits in
                size == 4 ? "\(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))" : "\(Double(bitPattern: bits))"
            }
        }
    }

    /// The name as ``init(parsing:)`` accepts it.
    var name: String {
        switch self {
        case .hex: "hex"
        case .utf8: "utf8"
        case .base64: "base64"
        case .raw: "raw"
        case .integers(let size, let isSigned, let isBigEndian):
            (isSigned ? "int" : "uint") + "\(8 * size)" + (isBigEndian ? "be" : "")
        case .floats(let size, let isBigEndian): (size == 4 ? "float" : "double") + (isBigEndian ? "be" : "")
        }
    }

    private var isBigEndian: Bool {
        switch self {
        case .integers(_, _, let isBigEndian), .floats(_, let isBigEndian): isBigEndian
        default: false
        }
    }

    private var advice: String {
        switch self {
        case .integers(let size, true, _):
            "Give \(Int64.min >> Int64(64 - 8 * size)) to \(Int64.max >> Int64(64 - 8 * size))."
        case .integers(let size, false, _): "Give 0 to \(UInt64.max >> UInt64(64 - 8 * size))."
        default: "Give a number such as 21.5."
        }
    }

    private func littleEndian(of word: Substring) throws(CLIError) -> [UInt8] {
        switch self {
        case .integers(let size, let isSigned, _):
            guard let bits = isSigned ? Self.signed(word, size) : Self.unsigned(word, size) else {
                throw CLIError(.usage, "“\(word)” is not a number of the format \(name). \(advice)")
            }
            return (0..<size).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
        case .floats(4, _):
            // A text such as 1e60 becomes infinite, which is a mistake unless it is written as such.
            guard let number = Float(word), number.isFinite || Double(word)?.isFinite != true else { break }
            return (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt32(8 * $0)) }
        default:
            guard let number = Double(word) else { break }
            return (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(8 * $0)) }
        }
        throw CLIError(.usage, "“\(word)” is not a number of the format \(name). \(advice)")
    }

    private static func unsigned(_ word: Substring, _ size: Int) -> UInt64? {
        guard let bits = digits(word).flatMap({ UInt64($0, radix: $1) }) else { return nil }
        return bits <= UInt64.max >> UInt64(64 - 8 * size) ? bits : nil
    }

    private static func signed(_ word: Substring, _ size: Int) -> UInt64? {
        guard let number = digits(word).flatMap({ Int64($0, radix: $1) }) else { return nil }
        let highest = Int64.max >> Int64(64 - 8 * size)
        return (-highest - 1...highest).contains(number) ? UInt64(bitPattern: number) : nil
    }

    /// Returns the digits of a number and their base: 16 after `0x`, else 10.
    private static func digits(_ word: Substring) -> (Substring, Int)? {
        guard word.hasPrefix("0x") || word.hasPrefix("0X") else { return (word, 10) }
        let digits = word.dropFirst(2)
        // `Int` also accepts a sign, which is a mistake after 0x.
        return digits.first?.isHexDigit == true ? (digits, 16) : nil
    }

    private func numbers(_ bytes: [UInt8], _ size: Int, _ text: (UInt64) -> String) -> String? {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: size) else { return nil }
        return stride(from: 0, to: bytes.count, by: size)
            .map { start in
                let part = bytes[start..<(start + size)]
                return text((isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | UInt64($1) })
            }
            .joined(separator: " ")
    }
}

/// Base64 with padding. Source: RFC 4648, 4.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
            for place in 0..<4 {
                text.append(place > part.count ? UInt8(ascii: "=") : digits[Int(bits >> UInt32(18 - 6 * place) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text. White space is skipped, and the padding may be missing.
    static func decode(_ text: String) throws(CLIError) -> [UInt8] {
        var characters = text.utf8.filter { !" \t\r\n".utf8.contains($0) }
        if characters.count.isMultiple(of: 4) {
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        for (place, character) in characters.enumerated() {
            guard let digit = digits.firstIndex(of: character) else { throw malformed(text) }
            bits = bits << 6 | UInt32(digit)
            if !place.isMultiple(of: 4) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * (place % 4)))) }
        }
        guard characters.count % 4 != 1, !characters.isEmpty || text.isEmpty else { throw malformed(text) }
        return bytes
    }

    private static func malformed(_ text: String) -> CLIError {
        CLIError(.usage, "“\(text.prefix(80))” is not base64. Give text such as AQID.")
    }
}
