import RxBluetoothMocks
import Yams

/// A node of the file with what it is, so that whatever is wrong with it can be said with its place.
struct ScenarioNode {
    let node: Node
    /// What it is, as errors name it.
    let name: String
    let file: String

    init(_ node: Node, _ name: String, in file: String) {
        self.node = node
        self.name = name
        self.file = file
    }

    func error(_ problem: String, _ expected: String) -> ScenarioFileError {
        ScenarioFileError(file: file, line: node.mark?.line, problem: problem, expected: expected)
    }

    /// That the text is not what it should be.
    func wrong(_ expected: String) -> ScenarioFileError {
        guard let text = node.scalar?.string else { return error("\(name) is no single value", expected) }
        return error("“\(text)” is no value of \(name)", expected)
    }

    /// Its parts by their keys. A key that is not among those allowed is an error at its own line.
    func parts(_ allowed: String...) throws(ScenarioFileError) -> [String: ScenarioNode] {
        let keys = allowed.joined(separator: ", ")
        return try parts(Set(allowed), expected: ("the keys \(keys)", "one of \(keys)"))
    }

    /// The same; `expected` says what should be there where there are no keys at all, and where one is wrong.
    func parts(
        _ allowed: Set<String>, expected: (noKeys: String, wrongKey: String)
    ) throws(ScenarioFileError) -> [String: ScenarioNode] {
        guard let mapping = node.mapping else { throw error("\(name) has no keys", expected.noKeys) }
        var parts: [String: ScenarioNode] = [:]
        for (key, value) in mapping {
            let text = key.scalar?.string ?? ""
            guard allowed.contains(text) else {
                throw ScenarioNode(key, name, in: file).error("“\(text)” is no key of \(name)", expected.wrongKey)
            }
            parts[text] = ScenarioNode(value, text, in: file)
        }
        return parts
    }

    /// Its pairs, where any key is allowed.
    func pairs() throws(ScenarioFileError) -> [(key: ScenarioNode, value: ScenarioNode)] {
        guard let mapping = node.mapping else { throw error("\(name) has no keys", "pairs of a key and a value") }
        return mapping.map { (ScenarioNode($0.key, name, in: file), ScenarioNode($0.value, name, in: file)) }
    }

    /// Its elements; `each` is what one of them is.
    func list(_ each: String) throws(ScenarioFileError) -> [ScenarioNode] {
        guard let sequence = node.sequence else { throw error("\(name) is no list", "a list") }
        return sequence.map { ScenarioNode($0, each, in: file) }
    }

    /// A part that must be there.
    func required(_ key: String, in parts: [String: ScenarioNode]) throws(ScenarioFileError) -> ScenarioNode {
        guard let part = parts[key] else { throw error("\(name) has no \(key)", "the key \(key)") }
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
    /// What a part holds, or what is taken where it does not stand.
    func or<Result>(
        _ absent: Result, _ read: (ScenarioNode) throws(ScenarioFileError) -> Result
    ) throws(ScenarioFileError) -> Result {
        guard let self else { return absent }
        return try read(self)
    }
}
