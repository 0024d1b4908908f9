/// Values by topics or topic filters, level by level, so that a search does not visit all of them.
final class TopicTree<Value> {
    private var children: [Substring: TopicTree<Value>] = [:]
    private var value: Value?

    private static func levels(_ text: String) -> ArraySlice<Substring> {
        text.split(separator: "/", omittingEmptySubsequences: false)[...]
    }

    /// The value of exactly this topic or filter.
    subscript(text: String) -> Value? {
        get { Self.levels(text).reduce(self) { tree, level in tree?.children[level] }?.value }
        set {
            var tree = self
            for level in Self.levels(text) {
                let next = tree.children[level] ?? TopicTree()
                tree.children[level] = next
                tree = next
            }
            tree.value = newValue
        }
    }

    /// The value of exactly this topic or filter, or a default.
    subscript(text: String, default initial: @autoclosure () -> Value) -> Value {
        get { self[text] ?? initial() }
        set { self[text] = newValue }
    }

    /// Returns the values of the filters in this tree that match a topic.
    func filters(matching topic: String) -> [Value] {
        var found: [Value] = []
        let levels = Self.levels(topic)
        visit(levels[...], allowsWildcards: topic.utf8.first != UInt8(ascii: "$")) { found.append($0) }
        return found
    }

    private func visit(_ levels: ArraySlice<Substring>, allowsWildcards: Bool, _ body: (Value) -> Void) {
        if allowsWildcards, let all = children["#"]?.value { body(all) }
        guard let level = levels.first else {
            if let value { body(value) }
            return
        }
        let rest = levels.dropFirst()
        children[level]?.visit(rest, allowsWildcards: true, body)
        if allowsWildcards { children["+"]?.visit(rest, allowsWildcards: true, body) }
    }

    /// Returns the values of the topics in this tree that match a filter.
    func topics(matching filter: String) -> [Value] {
        var found: [Value] = []
        collect(Self.levels(filter), isFirst: true) { found.append($0) }
        return found
    }

    private func collect(_ levels: ArraySlice<Substring>, isFirst: Bool, _ body: (Value) -> Void) {
        guard let level = levels.first else {
            if let value { body(value) }
            return
        }
        let rest = levels.dropFirst()
        switch level {
        case "#":
            if let value, !isFirst { body(value) }
            for (name, child) in children where !isFirst || name.first != "$" {
                child.collect(levels, isFirst: false, body)
            }
        case "+":
            for (name, child) in children where !isFirst || name.first != "$" {
                child.collect(rest, isFirst: false, body)
            }
        default: children[level]?.collect(rest, isFirst: false, body)
        }
    }
}
