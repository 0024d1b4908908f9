/// A node of a YAML document.
package struct YAMLNode: Sendable {
    /// The text, the elements, or the keys and values.
    package enum Content: Sendable {
        case scalar(String)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    package let content: Content
    /// The line on which the node begins, from 1.
    package let line: Int

    /// Makes a node.
    package init(content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    /// The text of a scalar; nil for a list or a mapping.
    package var scalar: String? {
        guard case .scalar(let text) = content else { return nil }
        return text
    }

    /// The elements of a list.
    package var sequence: [YAMLNode]? {
        guard case .sequence(let elements) = content else { return nil }
        return elements
    }

    /// The keys and values of a mapping, in their order.
    package var mapping: [(key: YAMLNode, value: YAMLNode)]? {
        guard case .mapping(let pairs) = content else { return nil }
        return pairs
    }
}

/// A reason why text is not a valid YAML document.
package struct YAMLError: Error {
    /// The line, from 1; nil if the error concerns the whole text.
    package var line: Int?
    package var problem: String
    package var expected = syntax

    /// What was expected if the text is not YAML at all.
    package static let syntax = "valid YAML"
}
