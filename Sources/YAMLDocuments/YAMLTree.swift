/// A YAML document that is built from the events of a parser.
struct YAMLTree {
    /// The deepest nesting of a document. Its nodes are released recursively, so the depth needs a bound.
    private static let maximumDepth = 1_000
    /// The most nodes of the text itself.
    private static let maximumWritten = 1_000_000
    /// The bytes of a text that count as one more node, because an alias repeats the work for them, too.
    private static let bytesOfNode = 64

    /// The most nodes that aliases may add. A short text could otherwise describe millions of nodes.
    let maximumRepeated: Int

    /// A list or mapping before its end is read.
    private struct OpenNode {
        let isMapping: Bool
        let line: Int
        let anchor: String?
        /// The elements; in a mapping, keys and values alternate.
        var elements: [YAMLNode] = []
        /// The nodes in it, with those that aliases repeat.
        var size = 1
    }

    /// The complete document; nil before its end.
    private(set) var root: YAMLNode?
    private var open: [OpenNode] = []
    private var anchors: [String: (node: YAMLNode, size: Int)] = [:]
    private var written = 0
    private var repeated = 0

    init(maximumRepeated: Int) { self.maximumRepeated = maximumRepeated }

    /// Adds a scalar.
    mutating func add(_ text: String, line: Int, anchor: String?) throws(YAMLError) {
        try countWritten(line: line)
        let size = 1 + text.utf8.count / Self.bytesOfNode
        add(YAMLNode(content: .scalar(text), line: line), size: size, anchor: anchor)
    }

    /// Adds the node with an anchor again. The anchor of a node that is still open does not exist yet.
    mutating func addAlias(of anchor: String, line: Int) throws(YAMLError) {
        guard let (node, size) = anchors[anchor] else {
            throw YAMLError(line: line, problem: "found undefined alias")
        }
        repeated += size
        guard repeated <= maximumRepeated else {
            throw YAMLError(
                line: line, problem: "aliases repeat more than \(maximumRepeated) nodes",
                expected: "a text with fewer aliases")
        }
        add(node, size: size, anchor: nil)
    }

    private mutating func countWritten(line: Int) throws(YAMLError) {
        written += 1
        guard written <= Self.maximumWritten else {
            throw YAMLError(
                line: line, problem: "more than \(Self.maximumWritten) nodes", expected: "a smaller document")
        }
    }

    /// Begins a list or a mapping.
    mutating func begin(isMapping: Bool, line: Int, anchor: String?) throws(YAMLError) {
        guard open.count < Self.maximumDepth else {
            throw YAMLError(line: line, problem: "more than \(Self.maximumDepth) levels of nesting")
        }
        try countWritten(line: line)
        open.append(OpenNode(isMapping: isMapping, line: line, anchor: anchor))
    }

    /// Ends the innermost list or mapping. Throws if a mapping has a key more than once.
    mutating func end() throws(YAMLError) {
        guard let last = open.popLast() else { return }
        guard last.isMapping else {
            return add(
                YAMLNode(content: .sequence(last.elements), line: last.line), size: last.size, anchor: last.anchor)
        }
        let pairs = stride(from: 0, to: last.elements.count - 1, by: 2).map {
            (key: last.elements[$0], value: last.elements[$0 + 1])
        }
        try Self.checkDuplicates(pairs.map(\.key))
        add(YAMLNode(content: .mapping(pairs), line: last.line), size: last.size, anchor: last.anchor)
    }

    private mutating func add(_ node: YAMLNode, size: Int, anchor: String?) {
        if let anchor { anchors[anchor] = (node, size) }
        guard !open.isEmpty else { return root = node }
        open[open.count - 1].elements.append(node)
        open[open.count - 1].size += size
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
