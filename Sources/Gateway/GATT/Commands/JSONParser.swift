/// Reads JSON from unknown senders, with limits on its size and depth.
///
/// FoundationEssentials' decoder accepts a depth of 512, keeps one of two equal keys, and has no limit on the size.
struct JSONParser {
    /// Why a payload is not accepted.
    struct Failure: Error, Hashable, Sendable {
        var text: String
    }

    /// The longest payload in bytes.
    static let maximumSize = 16_384
    /// The largest number of arrays and objects inside each other.
    static let maximumDepth = 8

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the value of a payload.
    static func parse(_ bytes: [UInt8], upTo limit: Int = maximumSize) throws(Failure) -> JSONNode {
        guard bytes.count <= limit else {
            throw Failure(text: "The payload has \(bytes.count) bytes; at most \(limit) are accepted")
        }
        var parser = JSONParser(bytes)
        let node = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.failure("Text after the JSON value") }
        return node
    }

    private func failure(_ text: String) -> Failure { Failure(text: "\(text), at byte \(position)") }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONNode {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < Self.maximumDepth else { throw failure("More than \(Self.maximumDepth) nested values") }
            return next == UInt8(ascii: "{") ? try object(depth: depth + 1) : try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return .number(try number())
        default:
            for (word, node) in [("true", JSONNode.bool(true)), ("false", .bool(false)), ("null", .null)] {
                if bytes[position...].starts(with: word.utf8) {
                    position += word.utf8.count
                    return node
                }
            }
            throw failure(next == nil ? "The JSON value ends too early" : "Not a JSON value")
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> JSONNode {
        position += 1
        var items: [JSONNode] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array([]) }
        while true {
            items.append(try value(depth: depth))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(items) }
            guard take(UInt8(ascii: ",")) else { throw failure("“,” or “]” is missing") }
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSONNode {
        position += 1
        var members: [JSONNode.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("A key is missing") }
            let key = try string()
            guard keys.insert(key).inserted else { throw failure("Two equal keys") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw failure("“:” is missing") }
            members.append(JSONNode.Member(key, try value(depth: depth)))
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw failure("“,” or “}” is missing") }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func digits() throws(Failure) {
        let start = position
        while let byte = next, Self.isDigit(byte) { position += 1 }
        guard position > start else { throw failure("A digit is missing") }
    }

    private mutating func number() throws(Failure) -> Double {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text), number.isFinite else { throw failure("A number is too large") }
        return number
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = String(validating: text, as: UTF8.self) else { throw failure("Text is not UTF-8") }
                return valid
            case 0..<0x20: throw failure("A control character in a text")
            case UInt8(ascii: "\\"): text += try escape()
            default: text.append(byte)
            }
        }
        throw failure("A text does not end")
    }

    private mutating func escape() throws(Failure) -> [UInt8] {
        guard let byte = next else { throw failure("A text does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var number = UInt32(try unit())
            if (0xD800..<0xDC00).contains(number) {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw failure("Half a character") }
                let low = UInt32(try unit())
                guard (0xDC00..<0xE000).contains(low) else { throw failure("Half a character") }
                number = 0x10000 + (number - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(number) else { throw failure("Half a character") }
            return Array(String(Character(scalar)).utf8)
        default: throw failure("An unknown escape")
        }
    }

    private mutating func unit() throws(Failure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = HexDigits.digit(byte) else { throw failure("Four digits are missing") }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
