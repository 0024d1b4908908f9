/// A reference to one stored element, which can be replaced.
///
/// In a generic class, each access to a field of type `Element?` looks up run-time metadata, which costs some 400
/// instructions an event. Access to a `Box?` needs no lookup. The box is created for the first element and reused.
final class Box<Element> {
    final var value: Element
    init(_ value: Element) { self.value = value }

    /// Stores the new value before it releases the old one.
    ///
    /// The deinitializer of the old value may send the next element.
    @inline(__always)
    final func replace(with new: consuming Element) {
        swap(&value, &new)
    }

    /// Swaps the stored value and the argument. The caller decides when to release the old value.
    @inline(__always)
    final func exchange(_ new: inout Element) {
        swap(&value, &new)
    }
}

/// A queue of elements in order of arrival. It is not safe for concurrent use.
final class FIFOQueue<Element> {
    // A linked list releases a removed element at once. An array of a generic element type also costs five times the
    // instructions.
    final class Node {
        let element: Element
        fileprivate var following: Node?
        required init(_ element: Element) { self.element = element }
    }

    // Stored, because in generic code each `Node(…)` would look up the type in the run-time metadata.
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

    /// Removes the first element and returns its node.
    ///
    /// Unlike `popFirst`, the method creates no `Element?`, which would need a metadata lookup.
    func takeFirst() -> Node? {
        guard let node = first else { return nil }
        first = node.following
        node.following = nil
        if first == nil { last = nil }
        count -= 1
        return node
    }

    /// Moves all elements to the other queue, which must be empty.
    func moveAll(to other: FIFOQueue<Element>) {
        other.first = first
        other.last = last
        other.count = count
        first = nil
        last = nil
        count = 0
    }

    // Removes the nodes one by one, because releasing a long chain at once would recurse.
    deinit { while takeFirst() != nil {} }
}
