/// What one input of `combineLatest` or `zip` has to give. Touched inside the gate of its hub only.
class AnyStore {
    /// Whether it has nothing to give.
    final var isEmpty = true
}

class Store<Element>: AnyStore {
    func put(_ value: Element) {}
    /// Gives an element; to be called when it is not empty.
    func take() -> Element { preconditionFailure("An empty store has nothing to give.") }
}

/// Gives the latest element again and again.
final class LatestStore<Element>: Store<Element> {
    private var latest: Place<Element>?

    override func put(_ value: Element) {
        if let latest { latest.replace(with: value) } else { latest = Place(value) }
        isEmpty = false
    }

    override func take() -> Element {
        guard let latest else { return super.take() }
        return latest.value
    }
}

/// Gives each element once, in order.
final class LineStore<Element>: Store<Element> {
    private var line = Line<Element>()

    override func put(_ value: Element) {
        line.append(value)
        isEmpty = false
    }

    override func take() -> Element {
        guard let node = line.takeFirst() else { return super.take() }
        isEmpty = line.isEmpty
        return node.element
    }
}
