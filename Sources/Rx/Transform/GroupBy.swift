extension ObservableType {
    /// A stream for each key, sent when its first element comes; every element goes to the stream of its key.
    ///
    /// The inner streams are hot and end as the source does, in the order in which they began, before the outer one. The
    /// source is kept as long as the outer subscription or the one to any inner stream lasts. A selector that throws is
    /// an error of all of them.
    @preconcurrency
    public func groupBy<Key: Hashable>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<GroupedObservable<Key, Element>> {
        Observable<GroupedObservable<Key, Element>>(GroupBy(asObservable().source, keySelector))
    }
}

/// The elements of one key. It is as hot as its source.
public struct GroupedObservable<Key, Element>: ObservableType {
    /// The key that its elements have in common.
    public let key: Key
    private let source: Observable<Element>

    /// A stream under a key.
    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    /// Sends the elements of the key to the observer.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        source.subscribe(observer)
    }

    /// The stream without its key.
    public func asObservable() -> Observable<Element> { source }
}

extension GroupedObservable: Sendable where Key: Sendable {}

private final class GroupBy<Key: Hashable, Element>: Source<GroupedObservable<Key, Element>> {
    private let upstream: Source<Element>
    private let keySelector: @Sendable (Element) throws -> Key

    init(_ upstream: Source<Element>, _ keySelector: @escaping @Sendable (Element) throws -> Key) {
        self.upstream = upstream
        self.keySelector = keySelector
    }

    override func run(_ downstream: Sink<GroupedObservable<Key, Element>>) {
        let sink = GroupBySink<Key, Element>(keySelector, into: downstream)
        sink.keep(
            upstream,
            with: ClosureInput<Element>(
                of: sink, in: sink.sourceTeardown, onNext: { sink.put($0) }, onCompleted: { sink.end() },
                onError: { sink.end($0) }))
    }
}

private final class GroupBySink<Key: Hashable, Element>: InnerStreamsSink<GroupedObservable<Key, Element>> {
    private let keySelector: @Sendable (Element) throws -> Key
    // Both are touched inside the drain only. The table holds indices in the list.
    private var groups: [SubjectCore<Element>] = []
    private var indices: [Key: Int] = [:]

    init(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        into downstream: Sink<GroupedObservable<Key, Element>>
    ) {
        self.keySelector = keySelector
        super.init(into: downstream)
    }

    func put(_ value: Element) {
        do {
            group(of: try keySelector(value)).next(value)
        } catch {
            end(error)
        }
    }

    private func group(of key: Key) -> SubjectCore<Element> {
        if let index = indices[key] { return groups[index] }
        let group = SubjectCore<Element>()
        indices[key] = groups.count
        groups.append(group)
        forward(GroupedObservable(key: key, source: stream(of: group)))
        return group
    }

    func end() {
        for group in groups { group.completed() }
        finish()
        sourceTeardown.dispose()
    }

    func end(_ error: any Error) {
        for group in groups { group.error(error) }
        fail(error)
        sourceTeardown.dispose()
    }
}
