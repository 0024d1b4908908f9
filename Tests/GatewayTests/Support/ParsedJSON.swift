import FoundationEssentials

/// A JSON value that a parser of others has read.
enum ParsedJSON: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([ParsedJSON])
    case object([String: ParsedJSON])

    init(_ text: some StringProtocol) throws { try self.init(Array(text.utf8)) }

    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(ParsedJSON.self, from: Data(bytes)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([ParsedJSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: ParsedJSON].self))
        }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var array: [ParsedJSON]? { if case .array(let values) = self { values } else { nil } }

    var object: [String: ParsedJSON]? { if case .object(let members) = self { members } else { nil } }

    subscript(_ key: String) -> ParsedJSON? { object?[key] }
}
