/// Elements in the order in which they came, taken from the front.
struct Line<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var contents: [Element] { elements[head...].compactMap { $0 } }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head].take()
        head += 1
        // The empty front is cut off when it is the larger half: constant time an element.
        if head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
