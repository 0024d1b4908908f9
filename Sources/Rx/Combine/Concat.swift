extension ObservableType {
    /// The stream, and after it completed the second one.
    public func concat<Stream: ObservableConvertibleType>(_ second: Stream) -> Observable<Element>
    where Stream.Element == Element {
        Observable<Element>.concat([asObservable(), second.asObservable()])
    }

    /// The streams one after the other. The sequence is walked as far as streams complete, anew for each subscription.
    /// Without a stream it completes at subscription.
    public static func concat<Streams: Sequence>(_ sequence: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(Concat<Element, _>(sequence))
    }

    /// The streams one after the other.
    public static func concat<Streams: Collection>(_ collection: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(Concat<Element, _>(collection))
    }

    /// The streams one after the other.
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        Observable(Concat<Element, _>(sources))
    }

    /// The elements given, then the stream.
    public func startWith(_ elements: Element...) -> Observable<Element> {
        Observable(StartWith(asObservable().source, elements))
    }
}

private final class Concat<Element, Streams: Sequence>: Source<Element> where Streams.Element == Observable<Element> {
    private let streams: Streams
    init(_ streams: Streams) { self.streams = streams }

    override func run(_ sink: Sink<Element>) {
        ConcatHub<Element, Streams>(streams.makeIterator(), into: sink).begin()
    }
}

private final class ConcatHub<Element, Streams: Sequence>: Succession<Element>
where Streams.Element == Observable<Element> {
    private var iterator: Streams.Iterator

    init(_ iterator: Streams.Iterator, into downstream: Sink<Element>) {
        self.iterator = iterator
        super.init(into: downstream)
    }

    override func following() -> Source<Element>? { iterator.next()?.source }
    override func attemptCompleted() { advance() }
}

private final class StartWith<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let elements: [Element]

    init(_ upstream: Source<Element>, _ elements: [Element]) {
        self.upstream = upstream
        self.elements = elements
    }

    override func run(_ sink: Sink<Element>) {
        let pass = Pass(into: sink)
        for element in elements where pass.isLive { pass.next(element) }
        upstream.run(pass)
    }
}
