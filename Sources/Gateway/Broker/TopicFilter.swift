/// A topic filter of MQTT: a topic in which `+` stands for one level and a final `#` for all further levels.
public struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
    /// The text of the filter.
    public let description: String
    private let levels: [Substring]

    /// Creates a filter; nil if the text is not a valid topic filter.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 65_535, !text.utf8.contains(0) else { return nil }
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() where level.contains("#") || level.contains("+") {
            guard level == "+" || (level == "#" && index == levels.count - 1) else { return nil }
        }
        description = text
        self.levels = levels
    }

    /// Whether the filter contains no wildcard.
    public var isLiteral: Bool { !levels.contains("+") && levels.last != "#" }

    /// Whether the topic matches. Wildcards at the beginning do not match topics that begin with `$`.
    public func matches(_ topic: String) -> Bool {
        if topic.utf8.first == UInt8(ascii: "$"), levels[0] == "#" || levels[0] == "+" { return false }
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() {
            if level == "#" { return true }
            guard index < parts.count, level == "+" || level == parts[index] else { return false }
        }
        return levels.count == parts.count
    }
}
