import FoundationEssentials

/// A JSON value. Objects keep the order of their keys.
indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case number(Int)
    /// A number, written without a fraction if it is whole; null if it is not finite.
    case double(Double)
    case string(String)
    case array([JSON])
    case object([(key: String, value: JSON)])

    /// Makes a string; null if `text` is nil.
    static func string(orNull text: String?) -> JSON { text.map { .string($0) } ?? .null }

    /// Makes a number; null if `number` is nil.
    static func number(orNull number: (some BinaryInteger)?) -> JSON { number.map { .number(Int($0)) } ?? .null }

    /// The value as one line, without characters that a terminal could interpret.
    var text: String {
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
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where Sanitiser.isHarmful(scalar):
                // JSON escapes characters above U+FFFF as surrogate pairs.
                for unit in String(scalar).utf16 { text += "\\u" + HexBytes.text(unit) }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// Times in the format of RFC 3339, in UTC with milliseconds: `2026-03-14T15:09:26.535Z`.
enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ time: Date) -> String { time.formatted(style) }
}
