/// What `zip` and `combineLatest` have in common: some inputs, each with what it has to give and whether it ended.
class CombineHub<Result>: Hub<Result> {
    // Touched inside the gate only.
    private final var ended: [Bool]

    init(arity: Int, into downstream: Sink<Result>) {
        ended = Array(repeating: false, count: arity)
        super.init(into: downstream)
    }

    /// Joins what the inputs give, or gives nil while one has nothing.
    func join() throws -> Result? { nil }

    /// Sends a result if every input has something; ends if that cannot come any more.
    final func arrived(at index: Int) {
        do {
            if let result = try join() {
                forward(result)
            } else if ended.indices.allSatisfy({ $0 == index || ended[$0] }) {
                // Nothing can be joined any more: all the others ended with nothing left.
                finish()
            }
        } catch {
            fail(error)
        }
    }

    final func end(_ index: Int) {
        ended[index] = true
        if ended.allSatisfy(\.self) { finish() }
    }

    /// Subscribes an input of that number.
    final func listen<Input_>(to source: Source<Input_>, as index: Int, keep: @escaping (Input_) -> Void) {
        let input = Input<Input_>(
            of: self,
            onNext: { value in
                keep(value)
                self.arrived(at: index)
            },
            onCompleted: { self.end(index) })
        listen(to: source, with: input)
    }
}

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
