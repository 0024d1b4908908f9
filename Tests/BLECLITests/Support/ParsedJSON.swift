import Foundation

/// JSON text, read by somebody else's parser.
struct ParsedJSON {
    private let value: Any

    /// Nil where the text is no JSON object.
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
