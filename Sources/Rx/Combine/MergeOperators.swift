extension ObservableType where Element: ObservableConvertibleType {
    /// All the streams that come, flowing together.
    public func merge() -> Observable<Element.Element> {
        Observable(Flatten(asObservable().source, streams { $0 }) { MergeSink(limit: .max, into: $0) })
    }

    /// The streams that come, at most that many at a time; the others wait in order. A number below 1 traps.
    public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        precondition(maxConcurrent > 0, "merge needs room for at least one stream at a time.")
        return Observable(
            Flatten(asObservable().source, streams { $0 }) { MergeSink(limit: maxConcurrent, into: $0) })
    }

    /// The streams that come, one after the other in order.
    public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

extension ObservableType {
    /// All the streams flowing together. It completes when all did (at subscription if there is none), and
    /// fails with the first that fails.
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

    override func run(_ downstream: Sink<Element>) { MergeSink(limit: .max, into: downstream).merge(sources) }
}
