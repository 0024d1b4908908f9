/// Elements in the order in which they came, taken from the front. Not for several threads at once.
final class Line<Element> {
    // Linked, and not an array: what is taken is let go of at once, and an array of a type that is not known costs five
    // times the instructions.
    final class Node {
        let element: Element
        fileprivate var following: Node?
        init(_ element: Element) { self.element = element }
    }

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
        let node = Node(element)
        if let last { last.following = node } else { first = node }
        last = node
        count += 1
    }

    /// The first element, no longer in the line.
    func popFirst() -> Element? { takeFirst()?.element }

    /// As `popFirst`, without an optional of the element, whose metadata would be looked up.
    func takeFirst() -> Node? {
        guard let node = first else { return nil }
        first = node.following
        if first == nil { last = nil }
        count -= 1
        return node
    }

    // One by one: a long line must not be let go of recursively.
    deinit { while takeFirst() != nil {} }
}
