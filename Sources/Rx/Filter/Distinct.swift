extension ObservableType where Element: Equatable {
    /// The elements without those equal to the one before.
    public func distinctUntilChanged() -> Observable<Element> {
        Observable(Distinct(asObservable().source, { $0 }, ==))
    }
}

extension ObservableType {
    /// The elements without those whose key is equal to the key of the one before.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<Element> {
        Observable(Distinct(asObservable().source, keySelector, ==))
    }

    /// The elements without those that the comparer takes for the same as the one before.
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
    ) -> Observable<Element> {
        Observable(Distinct(asObservable().source, { $0 }, comparer))
    }

    /// The elements without those whose key the comparer takes for the same as the key of the one before.
    @preconcurrency
    public func distinctUntilChanged<Key>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> Observable<Element> {
        Observable(Distinct(asObservable().source, keySelector, comparer))
    }

    /// The elements without those whose value at the path is equal to that of the one before.
    public func distinctUntilChanged<Property: Equatable>(
        at keyPath: KeyPath<Element, Property>
    ) -> Observable<Element> {
        Observable(Distinct(asObservable().source, { $0[keyPath: keyPath] }, ==))
    }
}

private final class Distinct<Element, Key>: Source<Element> {
    private let upstream: Source<Element>
    private let key: (Element) throws -> Key
    private let equal: (Key, Key) throws -> Bool

    init(
        _ upstream: Source<Element>, _ key: @escaping (Element) throws -> Key,
        _ equal: @escaping (Key, Key) throws -> Bool
    ) {
        self.upstream = upstream
        self.key = key
        self.equal = equal
    }

    override func run(_ sink: Sink<Element>) { upstream.run(DistinctSink(key, equal, into: sink)) }
}

private final class DistinctSink<Element, Key>: SingleInputSink<Element, Element> {
    private let key: (Element) throws -> Key
    private let equal: (Key, Key) throws -> Bool
    private var last: Box<Key>?

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
            guard let last else {
                last = Box(current)
                return forward(value)
            }
            if try equal(last.value, current) { return }
            last.replace(with: current)
        } catch {
            return fail(error)
        }
        forward(value)
    }
}
