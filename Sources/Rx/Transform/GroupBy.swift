extension ObservableType {
    /// Emits an inner stream for each key when the first element with the key arrives.
    ///
    /// Each element is sent to the inner stream of its key. The inner streams are hot. They end as the source does, in
    /// the order in which they began, before the outer stream. The subscription to the source lasts as long as the
    /// outer stream or any inner stream has a subscription. If the selector throws, all streams fail with that error.
    @preconcurrency
    public func groupBy<Key: Hashable>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<GroupedObservable<Key, Element>> {
        let upstream = asObservable().source
        return Observable<GroupedObservable<Key, Element>>(
            MultiInputSource { downstream in
                let sink = GroupBySink<Key, Element>(keySelector, into: downstream)
                sink.subscribeWhileUsed(
                    to: upstream,
                    with: ClosureInput<Element>(
                        of: sink, in: sink.sourceTeardown, onNext: { sink.receive($0) }, onCompleted: { sink.end() },
                        onError: { sink.end($0) }))
            })
    }
}

/// A hot inner stream of `groupBy`: the elements with one key.
public struct GroupedObservable<Key, Element>: ObservableType {
    /// The key of all its elements.
    public let key: Key
    private let source: Observable<Element>

    /// Creates a stream with a key.
    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    /// Sends the elements of the key to the observer until the stream ends or the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        source.subscribe(observer)
    }

    /// Returns the stream without its key.
    public func asObservable() -> Observable<Element> { source }
}

extension GroupedObservable: Sendable where Key: Sendable {}

private final class GroupBySink<Key: Hashable, Element>: InnerStreamsSink<GroupedObservable<Key, Element>> {
    private let keySelector: @Sendable (Element) throws -> Key
    // Used inside the drain only. `indices` maps each key to an index of `groups`.
    private var groups: [SubjectCore<Element>] = []
    private var indices: [Key: Int] = [:]

    init(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        into downstream: Sink<GroupedObservable<Key, Element>>
    ) {
        self.keySelector = keySelector
        super.init(into: downstream)
    }

    func receive(_ value: Element) {
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
        forward(GroupedObservable(key: key, source: innerStream(of: group)))
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
