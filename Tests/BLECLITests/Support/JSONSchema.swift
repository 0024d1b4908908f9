import Foundation

/// A JSON value of any kind, read by Foundation's parser.
enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ text: String) throws { self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
    var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
    var string: String? { if case .string(let string) = self { string } else { nil } }

    /// The names that JSON Schema has for the type of this value.
    fileprivate var types: [String] {
        switch self {
        case .null: ["null"]
        case .bool: ["boolean"]
        case .number(let number): number.rounded() == number ? ["integer", "number"] : ["number"]
        case .string: ["string"]
        case .array: ["array"]
        case .object: ["object"]
        }
    }
}

/// The part of JSON Schema (2020-12) that `docs/ble-cli.schema.json` uses. Any other keyword is a violation.
struct JSONSchema {
    let definitions: [String: JSONValue]

    /// Reads `docs/ble-cli.schema.json`.
    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("docs/ble-cli.schema.json")
        definitions =
            try JSONValue(String(decoding: Data(contentsOf: file), as: UTF8.self)).members["$defs"]?.members ?? [:]
    }

    /// Returns how a line violates a definition; empty if the line conforms.
    func violations(of line: String, as definition: String) -> [String] {
        guard let schema = definitions[definition] else { return ["There is no definition \(definition)"] }
        guard let value = try? JSONValue(line) else { return ["Not JSON: \(line)"] }
        return violations(of: value, schema, at: definition)
    }

    private func violations(of value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        schema.members.flatMap { keyword, rule -> [String] in
            switch keyword {
            case "description", "properties", "patternProperties": return []
            case "$ref":
                let name = String(rule.string?.split(separator: "/").last ?? "")
                return definitions[name].map { violations(of: value, $0, at: path) } ?? [
                    "\(path): no definition \(name)"
                ]
            case "anyOf":
                let all = rule.items.map { violations(of: value, $0, at: path) }
                return all.contains(where: \.isEmpty) ? [] : all.flatMap(\.self)
            case "enum": return rule.items.contains(value) ? [] : ["\(path): \(value) is not in the list"]
            case "type":
                let allowed = rule.string.map { [$0] } ?? rule.items.compactMap(\.string)
                return value.types.contains(where: allowed.contains) ? [] : ["\(path): \(value) is not \(allowed)"]
            case "pattern":
                guard let text = value.string else { return [] }
                return matches(text, rule) ? [] : ["\(path): “\(text)” does not match"]
            case "items":
                return value.items.enumerated().flatMap { violations(of: $1, rule, at: "\(path)[\($0)]") }
            case "required":
                guard case .object(let members) = value else { return [] }
                return rule.items.compactMap(\.string).filter { members[$0] == nil }.map { "\(path): no \($0)" }
            case "additionalProperties": return memberViolations(of: value, schema, at: path)
            default: return ["\(path): the keyword \(keyword) is not supported"]
            }
        }
    }

    /// Checks members by `properties` and `patternProperties`; any other member is a violation.
    private func memberViolations(of value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        value.members.flatMap { key, member -> [String] in
            let patterns = schema.members["patternProperties"]?.members ?? [:]
            let rule =
                schema.members["properties"]?.members[key] ?? patterns.first { matches(key, .string($0.key)) }?.value
            return rule.map { violations(of: member, $0, at: "\(path).\(key)") } ?? ["\(path): \(key) is not listed"]
        }
    }

    private func matches(_ text: String, _ pattern: JSONValue) -> Bool {
        text.range(of: pattern.string ?? "", options: .regularExpression) != nil
    }
}

/// A JSON object, read by Foundation's parser.
struct ParsedJSON {
    private let value: Any

    /// Parses a text; returns nil if the text is not a JSON object.
    init?(_ text: String) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)), value is [String: Any] else {
            return nil
        }
        self.value = value
    }

    private init(value: Any) { self.value = value }

    subscript(key: String) -> ParsedJSON? { (value as? [String: Any])?[key].map { ParsedJSON(value: $0) } }

    var keys: Set<String> { Set((value as? [String: Any] ?? [:]).keys) }
    var items: [ParsedJSON] { (value as? [Any] ?? []).map { ParsedJSON(value: $0) } }
    var string: String? { value as? String }
    var number: Int? { value as? Int }
    var bool: Bool? { value as? Bool }
    var isNull: Bool { value is NSNull }
}
