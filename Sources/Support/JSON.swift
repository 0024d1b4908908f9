/// A JSON value. Objects keep the order of their keys.
package indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case number(Int)
    /// A number, written without a fraction if it is whole; null if it is not finite.
    case double(Double)
    case string(String)
    case array([JSON])
    case object([(key: String, value: JSON)])

    /// Makes a string; null if `text` is nil.
    package static func string(orNull text: String?) -> JSON { text.map { .string($0) } ?? .null }

    /// Makes a number; null if `number` is nil.
    package static func number(orNull number: (some BinaryInteger)?) -> JSON {
        number.map { .number(Int($0)) } ?? .null
    }

    /// The value as one line, without characters that a terminal could interpret.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += String(value)
        case .double(let value): text += value.isFinite ? NumberText.of(value) : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            Self.write(values, between: "[", "]", to: &text) { $0.write(to: &$1) }
        case .object(let members):
            Self.write(members, between: "{", "}", to: &text) { member, text in
                Self.write(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item], between opening: String, _ closing: String, to text: inout String,
        _ write: (Item, inout String) -> Void
    ) {
        text += opening
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            write(item, &text)
        }
        text += closing
    }

    private static func write(_ value: String, to text: inout String) {
        text += "\""
        defer { text += "\"" }
        let isPlain = value.utf8.allSatisfy {
            0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if isPlain { return text += value }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isHarmful:
                // JSON escapes characters above U+FFFF as surrogate pairs.
                for unit in String(scalar).utf16 { text += "\\u" + unit.hexadecimal() }
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// Numbers as text that JSON also accepts.
package enum NumberText {
    /// Returns a finite number in decimal digits, as short as possible and without a fraction if it is whole.
    package static func of(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    }
}
