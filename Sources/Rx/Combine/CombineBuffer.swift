/// What one input of `combineLatest` or `zip` has to give. Touched inside the drain of its sink only.
class AnyCombineBuffer {
    /// Whether it has nothing to give.
    final var isEmpty = true
}

class CombineBuffer<Element>: AnyCombineBuffer {
    func store(_ value: Element) {}
    /// Gives an element; to be called when it is not empty.
    func take() -> Element { preconditionFailure("An empty store has nothing to give.") }
}

/// Gives the latest element again and again.
final class LatestBuffer<Element>: CombineBuffer<Element> {
    private var latest: Box<Element>?

    override func store(_ value: Element) {
        if let latest { latest.replace(with: value) } else { latest = Box(value) }
        isEmpty = false
    }

    override func take() -> Element {
        guard let latest else { return super.take() }
        return latest.value
    }
}

/// Gives each element once, in order.
final class QueueBuffer<Element>: CombineBuffer<Element> {
    private var queue = FIFOQueue<Element>()

    override func store(_ value: Element) {
        queue.append(value)
        isEmpty = false
    }

    override func take() -> Element {
        guard let node = queue.takeFirst() else { return super.take() }
        isEmpty = queue.isEmpty
        return node.element
    }
}
