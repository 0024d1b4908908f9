/// A YAML document that is built from the events of a parser.
struct YAMLTree {
    /// The deepest nesting of a document. Its nodes are released recursively, so the depth needs a bound.
    private static let maximumDepth = 1_000

    /// A list or mapping before its end is read.
    private struct OpenNode {
        let isMapping: Bool
        let line: Int
        let anchor: String?
        /// The elements; in a mapping, keys and values alternate.
        var elements: [YAMLNode] = []
    }

    /// The complete document; nil before its end.
    private(set) var root: YAMLNode?
    private var open: [OpenNode] = []
    private var anchors: [String: YAMLNode] = [:]

    /// Adds a scalar.
    mutating func add(_ text: String, line: Int, anchor: String?) {
        add(YAMLNode(content: .scalar(text), line: line), anchor: anchor)
    }

    /// Adds the node with an anchor again. The anchor of a node that is still open does not exist yet.
    mutating func addAlias(of anchor: String, line: Int) throws(YAMLError) {
        guard let node = anchors[anchor] else { throw YAMLError(line: line, problem: "found undefined alias") }
        add(node, anchor: nil)
    }

    /// Begins a list or a mapping.
    mutating func begin(isMapping: Bool, line: Int, anchor: String?) throws(YAMLError) {
        guard open.count < Self.maximumDepth else {
            throw YAMLError(line: line, problem: "more than \(Self.maximumDepth) levels of nesting")
        }
        open.append(OpenNode(isMapping: isMapping, line: line, anchor: anchor))
    }

    /// Ends the innermost list or mapping. Throws if a mapping has a key more than once.
    mutating func end() throws(YAMLError) {
        guard let last = open.popLast() else { return }
        guard last.isMapping else {
            return add(YAMLNode(content: .sequence(last.elements), line: last.line), anchor: last.anchor)
        }
        let pairs = stride(from: 0, to: last.elements.count - 1, by: 2).map {
            (key: last.elements[$0], value: last.elements[$0 + 1])
        }
        try Self.checkDuplicates(pairs.map(\.key))
        add(YAMLNode(content: .mapping(pairs), line: last.line), anchor: last.anchor)
    }

    private mutating func add(_ node: YAMLNode, anchor: String?) {
        if let anchor { anchors[anchor] = node }
        if open.isEmpty { root = node } else { open[open.count - 1].elements.append(node) }
    }

    private static func checkDuplicates(_ keys: [YAMLNode]) throws(YAMLError) {
        var seen: Set<String> = []
        var duplicates: [String: Int] = [:]
        for key in keys {
            guard let text = key.scalar, !seen.insert(text).inserted else { continue }
            if duplicates[text] == nil { duplicates[text] = key.line }
        }
        let names = duplicates.keys.sorted()
        guard !names.isEmpty else { return }
        throw YAMLError(
            line: duplicates.values.min(), problem: "duplicate key: \(names.joined(separator: ", "))",
            expected: "each key once")
    }
}
