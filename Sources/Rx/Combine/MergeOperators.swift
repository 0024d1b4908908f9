extension ObservableType where Element: ObservableConvertibleType {
    /// All the streams that come, flowing together.
    public func merge() -> Observable<Element.Element> {
        Observable(Merge(asObservable().source, streams { $0 }))
    }

    /// The streams that come, at most that many at a time; the others wait in order.
    public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        Observable(Merge(asObservable().source, limit: maxConcurrent, streams { $0 }))
    }

    /// The streams that come, one after the other in order.
    public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

extension ObservableType {
    /// All the streams flowing together. It completes when all did, and fails with the first that fails.
    public static func merge<Streams: Collection>(_ sources: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        merge(Array(sources))
    }

    /// All the streams flowing together.
    public static func merge(_ sources: Observable<Element>...) -> Observable<Element> { merge(sources) }

    /// All the streams flowing together.
    public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
        Observable(MergeArray(sources.map(\.source)))
    }
}

private final class MergeArray<Element>: Source<Element> {
    private let sources: [Source<Element>]
    init(_ sources: [Source<Element>]) { self.sources = sources }

    override func run(_ sink: Sink<Element>) {
        let hub = MergeHub(limit: .max, into: sink)
        hub.gate.pass(hub) { [sources = Ferry(sources)] hub in
            for source in sources.value where hub.isLive { hub.admit(source) }
            hub.outerCompleted()
        }
    }
}
