extension ObservableType {
    /// The latest elements of all streams joined. An empty collection completes at subscription.
    @preconcurrency
    public static func combineLatest<Streams: Collection>(
        _ collection: Streams, resultSelector: @escaping @Sendable ([Streams.Element.Element]) throws -> Element
    ) -> Observable<Element> where Streams.Element: ObservableType {
        Observable(CombineAll(collection.map { $0.asObservable().source }, latest: true, resultSelector))
    }

    /// The latest elements of all streams. An empty collection completes at subscription.
    public static func combineLatest<Streams: Collection>(_ collection: Streams) -> Observable<[Element]>
    where Streams.Element: ObservableType, Streams.Element.Element == Element {
        Observable<[Element]>(CombineAll(collection.map { $0.asObservable().source }, latest: true) { $0 })
    }

    /// The first elements of all streams joined, then the second ones, and so on. An empty collection completes.
    @preconcurrency
    public static func zip<Streams: Collection>(
        _ collection: Streams, resultSelector: @escaping @Sendable ([Streams.Element.Element]) throws -> Element
    ) -> Observable<Element> where Streams.Element: ObservableType {
        Observable(CombineAll(collection.map { $0.asObservable().source }, latest: false, resultSelector))
    }

    /// The first elements of all streams, then the second ones, and so on. An empty collection completes.
    public static func zip<Streams: Collection>(_ collection: Streams) -> Observable<[Element]>
    where Streams.Element: ObservableType, Streams.Element.Element == Element {
        Observable<[Element]>(CombineAll(collection.map { $0.asObservable().source }, latest: false) { $0 })
    }
}

private final class CombineAll<Input, Result>: Source<Result> {
    private let sources: [Source<Input>]
    private let latest: Bool
    private let selector: @Sendable ([Input]) throws -> Result

    init(_ sources: [Source<Input>], latest: Bool, _ selector: @escaping @Sendable ([Input]) throws -> Result) {
        self.sources = sources
        self.latest = latest
        self.selector = selector
    }

    override func run(_ sink: Sink<Result>) {
        let hub = AllHub(sources.count, latest: latest, selector, into: sink)
        if sources.isEmpty { hub.finish() }
        for (index, source) in sources.enumerated() where hub.isLive {
            hub.listen(to: source, as: index) { hub.keep($0, index) }
        }
    }

    private final class AllHub: CombineHub<Result> {
        private var lines: [Line<Input>]
        private let latest: Bool
        private let selector: @Sendable ([Input]) throws -> Result

        init(
            _ count: Int, latest: Bool, _ selector: @escaping @Sendable ([Input]) throws -> Result,
            into downstream: Sink<Result>
        ) {
            lines = Array(repeating: Line(), count: count)
            self.latest = latest
            self.selector = selector
            super.init(arity: count, into: downstream)
        }

        func keep(_ value: Input, _ index: Int) {
            if latest { _ = lines[index].popFirst() }
            lines[index].append(value)
        }

        override func join() throws -> Result? {
            if lines.contains(where: \.isEmpty) { return nil }
            let values = lines.indices.compactMap { lines[$0].popFirst() }
            if latest { for (index, value) in values.enumerated() { lines[index].append(value) } }
            return try selector(values)
        }
    }
}
