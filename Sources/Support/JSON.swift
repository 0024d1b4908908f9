/// A JSON value. Objects keep the order of their keys.
package enum JSON: Sendable {
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
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// ``text`` in UTF-8.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let value): bytes += String(value).utf8
        case .double(let value): bytes += (value.isFinite ? NumberText.of(value) : "null").utf8
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func write(_ value: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // Most strings need no escape. Bytes of an array are checked faster than those of a string.
        let start = bytes.count
        bytes += value.utf8
        var index = start
        while index < bytes.count, isPlain(bytes[index]) { index += 1 }
        if index == bytes.count { return }
        bytes.removeSubrange(start...)
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": bytes += "\\\"".utf8
            case "\\": bytes += "\\\\".utf8
            case "\n": bytes += "\\n".utf8
            case "\r": bytes += "\\r".utf8
            case "\t": bytes += "\\t".utf8
            case _ where scalar.isHarmful:
                // JSON escapes characters above U+FFFF as surrogate pairs.
                for unit in String(scalar).utf16 { bytes += ("\\u" + unit.hexadecimal()).utf8 }
            default: bytes += String(scalar).utf8
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
