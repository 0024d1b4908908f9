extension ObservableType where Element: Equatable {
    /// Emits the elements that differ from the previous element.
    public func distinctUntilChanged() -> Observable<Element> {
        distinct({ $0 }, ==)
    }
}

extension ObservableType {
    /// Emits the elements with a key that differs from the key of the previous element.
    ///
    /// If the closure throws, the stream fails with that error.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<Element> {
        distinct(keySelector, ==)
    }

    /// Emits the elements for which the comparer returns false, called with the last emitted element.
    ///
    /// If the closure throws, the stream fails with that error.
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
    ) -> Observable<Element> {
        distinct({ $0 }, comparer)
    }

    /// Emits the elements if the comparer returns false for the last emitted key and their key.
    ///
    /// If a closure throws, the stream fails with that error.
    @preconcurrency
    public func distinctUntilChanged<Key>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> Observable<Element> {
        distinct(keySelector, comparer)
    }

    /// Emits the elements if their value at the key path differs from that of the previous element.
    public func distinctUntilChanged<Property: Equatable>(
        at keyPath: KeyPath<Element, Property>
    ) -> Observable<Element> {
        distinct({ $0[keyPath: keyPath] }, ==)
    }

    private func distinct<Key>(
        _ key: @escaping (Element) throws -> Key, _ equal: @escaping (Key, Key) throws -> Bool
    ) -> Observable<Element> {
        lift { DistinctSink(key, equal, into: $0) }
    }
}

private final class DistinctSink<Element, Key>: SingleInputSink<Element, Element> {
    private let key: (Element) throws -> Key
    private let equal: (Key, Key) throws -> Bool
    private let last = Box<Key>()

    init(
        _ key: @escaping (Element) throws -> Key, _ equal: @escaping (Key, Key) throws -> Bool,
        into downstream: Sink<Element>
    ) {
        self.key = key
        self.equal = equal
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        do {
            let current = try key(value)
            if try !last.isEmpty && equal(last.value, current) { return }
            last.store(current)
        } catch {
            return fail(error)
        }
        forward(value)
    }
}
