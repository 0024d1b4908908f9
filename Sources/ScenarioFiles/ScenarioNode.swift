import RxBluetoothMocks
import YAMLDocuments

/// A node of a scenario file, with its name for errors.
struct ScenarioNode {
    let node: YAMLNode
    /// The name of the node in errors.
    let name: String
    let file: String

    init(_ node: YAMLNode, _ name: String, in file: String) {
        self.node = node
        self.name = name
        self.file = file
    }

    func error(_ problem: String, _ expected: String) -> ScenarioFileError {
        ScenarioFileError(file: file, line: node.line, problem: problem, expected: expected)
    }

    /// Returns the error for an invalid value.
    func wrong(_ expected: String) -> ScenarioFileError {
        guard let text = node.scalar else { return error("\(name) is not a single value", expected) }
        return error("invalid value “\(YAMLValue.quoted(text))” of \(name)", expected)
    }

    /// Returns the values by key. Throws if a key is unknown; the error contains the line of the key.
    func parts(_ allowed: String...) throws(ScenarioFileError) -> [String: ScenarioNode] {
        let keys = allowed.joined(separator: ", ")
        return try parts(Set(allowed), expected: ("the keys \(keys)", "one of \(keys)"))
    }

    /// Returns the values by key, with custom error texts.
    ///
    /// `expected` contains the ends of the errors for a node without keys and for an unknown key.
    func parts(
        _ allowed: Set<String>, expected: (noKeys: String, wrongKey: String)
    ) throws(ScenarioFileError) -> [String: ScenarioNode] {
        guard let mapping = node.mapping else { throw error("\(name) has no keys", expected.noKeys) }
        var parts: [String: ScenarioNode] = [:]
        for (key, value) in mapping {
            let text = key.scalar ?? ""
            guard allowed.contains(text) else {
                throw ScenarioNode(key, name, in: file).error(
                    "unknown key “\(YAMLValue.quoted(text))” of \(name)", expected.wrongKey)
            }
            parts[text] = ScenarioNode(value, text, in: file)
        }
        return parts
    }

    /// Returns all keys and values. Any keys are allowed.
    func pairs() throws(ScenarioFileError) -> [(key: ScenarioNode, value: ScenarioNode)] {
        guard let mapping = node.mapping else { throw error("\(name) has no keys", "pairs of a key and a value") }
        return mapping.map { (ScenarioNode($0.key, name, in: file), ScenarioNode($0.value, name, in: file)) }
    }

    /// Returns the elements of a list. `each` is the name of an element in errors.
    func list(_ each: String) throws(ScenarioFileError) -> [ScenarioNode] {
        guard let sequence = node.sequence else { throw error("\(name) is not a list", "a list") }
        return sequence.map { ScenarioNode($0, each, in: file) }
    }

    /// Returns the value of a key. Throws if the key is missing.
    func required(_ key: String, in parts: [String: ScenarioNode]) throws(ScenarioFileError) -> ScenarioNode {
        guard let part = parts[key] else { throw error("\(name) has no key \(key)", "the key \(key)") }
        return part
    }
}

extension [ScenarioNode] {
    func each<Result>(_ read: (ScenarioNode) throws(ScenarioFileError) -> Result) throws(ScenarioFileError) -> [Result]
    {
        var results: [Result] = []
        for entry in self { results.append(try read(entry)) }
        return results
    }
}

extension ScenarioNode? {
    /// Reads an optional value, or returns a default.
    func or<Result>(
        _ absent: Result, _ read: (ScenarioNode) throws(ScenarioFileError) -> Result
    ) throws(ScenarioFileError) -> Result {
        guard let self else { return absent }
        return try read(self)
    }
}
