/// A value of a YAML document with its name. Its readers report mistakes and return nil.
package struct YAMLValue {
    /// The node of the value.
    package let node: YAMLNode
    /// The name in mistakes, for example `broker.port`.
    package let name: String
    /// The collection of mistakes.
    package let mistakes: YAMLMistakes

    /// Makes a value.
    package init(_ node: YAMLNode, _ name: String, _ mistakes: YAMLMistakes) {
        self.node = node
        self.name = name
        self.mistakes = mistakes
    }

    /// Whether the value is missing, as in `devices:` without elements.
    package var isNull: Bool { ["", "~", "null"].contains(node.scalar) }

    /// The subject of mistakes about the value.
    private var subject: String { name.isEmpty ? "the document" : name }

    /// Adds a mistake at the line of this value.
    package func report(_ problem: String, _ advice: String) {
        mistakes.add(line: node.line, problem, advice)
    }

    /// Adds the mistake of an invalid value, which is quoted in it.
    package func reportInvalid(_ advice: String) {
        guard let text = node.scalar else { return report("\(subject) is not a single value", advice) }
        guard !isNull else { return report("\(subject) has no value", advice + ", or remove the key") }
        report("invalid value “\(Self.quoted(text))” of \(name)", advice)
    }

    /// Returns the members of a mapping, without unknown keys. A missing value has no members.
    package func members(_ known: [String]) -> YAMLMembers {
        guard let pairs = node.mapping else {
            if !isNull { report("\(subject) has no keys", "write one of \(known.joined(separator: ", ")) below it") }
            return YAMLMembers(line: node.line, values: [:])
        }
        var values: [String: YAMLValue] = [:]
        for (key, value) in pairs {
            guard let text = key.scalar, known.contains(text) else {
                reportUnknown(key, known)
                continue
            }
            values[text] = YAMLValue(value, name.isEmpty ? text : "\(name).\(text)", mistakes)
        }
        return YAMLMembers(line: node.line, values: values)
    }

    /// Returns all keys and values of a mapping, with any keys.
    package func pairs() -> [(key: YAMLValue, value: YAMLValue)] {
        guard let pairs = node.mapping else {
            if !isNull { report("\(subject) has no keys", "write pairs of a key and a value below it") }
            return []
        }
        return pairs.map { key, value in
            (
                YAMLValue(key, "a key of \(name)", mistakes),
                YAMLValue(value, "\(name).\(Self.quoted(key.scalar ?? ""))", mistakes)
            )
        }
    }

    /// Returns the elements of a list. A missing value has none.
    package func list() -> [YAMLValue] {
        guard let elements = node.sequence else {
            if !isNull { report("\(subject) is not a list", "write [first, second], or a line “- element” for each") }
            return []
        }
        return elements.enumerated().map { YAMLValue($1, "\(name)[\($0 + 1)]", mistakes) }
    }

    private func reportUnknown(_ key: YAMLNode, _ known: [String]) {
        let place = name.isEmpty ? "" : " in \(name)"
        let text = key.scalar ?? ""
        let guess = mistakes.guess(for: text, in: known).map { "did you mean “\($0)”? " } ?? ""
        mistakes.add(
            line: key.line, "unknown key “\(Self.quoted(text))”" + place,
            guess + "use one of \(known.joined(separator: ", "))")
    }

    /// Returns a text for a mistake: short, and without control characters.
    package static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars.prefix(40) {
            if scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format {
                quoted += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > 40 ? quoted + "…" : quoted
    }
}

/// The members of a mapping by key.
package struct YAMLMembers {
    /// The line of the mapping.
    package let line: Int
    let values: [String: YAMLValue]

    /// Returns the value of a key; nil if the mapping does not have it.
    package subscript(_ key: String) -> YAMLValue? { values[key] }
}
