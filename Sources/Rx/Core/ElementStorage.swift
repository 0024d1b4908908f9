/// One element that changes.
///
/// A field of type `Element?` in a generic class looks up the metadata of that optional at each access: some 400
/// instructions an event. A `Box?` is a plain reference, created for the first element and reused.
final class Box<Element> {
    final var value: Element
    init(_ value: Element) { self.value = value }

    /// Stores the new value, then releases the old one: its deinitializer may cause the next element.
    @inline(__always)
    final func replace(with new: consuming Element) {
        swap(&value, &new)
    }

    /// Stores the new value and returns the old one in its place. The caller decides when to release it.
    @inline(__always)
    final func exchange(_ new: inout Element) {
        swap(&value, &new)
    }
}

/// Elements in the order of arrival, removed from the front. Not for concurrent use.
final class FIFOQueue<Element> {
    // A linked list, not an array: it releases removed elements at once, and an array of a generic element
    // type costs five times the instructions.
    final class Node {
        let element: Element
        fileprivate var following: Node?
        required init(_ element: Element) { self.element = element }
    }

    // Looked up once a queue: in generic code `Node(…)` would look up the type each time.
    private let nodeType: Node.Type = Node.self
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
        let added = nodeType.init(element)
        if let last { last.following = added } else { first = added }
        last = added
        count += 1
    }

    /// Removes and returns the first element.
    func popFirst() -> Element? { takeFirst()?.element }

    /// As `popFirst`, without an optional of the element, which would need a metadata lookup.
    func takeFirst() -> Node? {
        guard let node = first else { return nil }
        first = node.following
        node.following = nil
        if first == nil { last = nil }
        count -= 1
        return node
    }

    /// Moves all elements to an empty queue.
    func moveAll(to other: FIFOQueue<Element>) {
        other.first = first
        other.last = last
        other.count = count
        first = nil
        last = nil
        count = 0
    }

    // Removes nodes one by one: releasing a long chain would recurse.
    deinit { while takeFirst() != nil {} }
}
