/// Elements in the order in which they came, taken from the front. Not for several threads at once.
final class FIFOQueue<Element> {
    // Linked, and not an array: what is taken is let go of at once, and an array of a type that is not known costs five
    // times the instructions.
    final class Node {
        let element: Element
        fileprivate var following: Node?
        required init(_ element: Element) { self.element = element }
    }

    // Looked up once a line: where the type of the element is not known, `Node(…)` would look it up each time.
    private let node: Node.Type = Node.self
    private var first: Node?
    private var last: Node?
    private(set) var count = 0

    var isEmpty: Bool { first == nil }

    var contents: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        var node = first
        while let current = node {
            elements.append(current.element)
            node = current.following
        }
        return elements
    }

    func append(_ element: Element) {
        let added = node.init(element)
        if let last { last.following = added } else { first = added }
        last = added
        count += 1
    }

    /// The first element, no longer in the line.
    func popFirst() -> Element? { takeFirst()?.element }

    /// As `popFirst`, without an optional of the element, whose metadata would be looked up.
    func takeFirst() -> Node? {
        guard let node = first else { return nil }
        first = node.following
        node.following = nil
        if first == nil { last = nil }
        count -= 1
        return node
    }

    /// Gives all its elements to an empty line.
    func moveAll(to other: FIFOQueue<Element>) {
        other.first = first
        other.last = last
        other.count = count
        first = nil
        last = nil
        count = 0
    }

    // One by one: a long line must not be let go of recursively.
    deinit { while takeFirst() != nil {} }
}
