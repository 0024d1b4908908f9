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

/// Streams one after the other. `concat` of any sequence is one of these, so that one inside another can be recognized.
private class AnyConcat<Element>: Source<Element> {
    func makeIterator() -> AnyIterator<Source<Element>> { AnyIterator { nil } }

    final override func run(_ downstream: Sink<Element>) { ConcatSink(makeIterator(), into: downstream).begin() }
}

private final class Concat<Element, Streams: Sequence>: AnyConcat<Element>
where Streams.Element == Observable<Element> {
    private let streams: Streams
    init(_ streams: Streams) { self.streams = streams }

    override func makeIterator() -> AnyIterator<Source<Element>> {
        AnyIterator(streams.lazy.map(\.source).makeIterator())
    }
}

/// Walks through what was put together with `concat`, at any depth, as one list. A stream that goes on with a further
/// `concat` again and again costs neither stack nor a growing number of sinks an element, as in RxSwift.
private final class ConcatSink<Element>: SequentialSink<Element> {
    // The innermost comes last. Touched by the pump only.
    private var iterators: [AnyIterator<Source<Element>>]

    init(_ iterator: AnyIterator<Source<Element>>, into downstream: Sink<Element>) {
        iterators = [iterator]
        super.init(into: downstream)
    }

    override func nextSource() -> Source<Element>? {
        while let iterator = iterators.last {
            guard let next = iterator.next() else {
                iterators.removeLast()
                continue
            }
            guard let inner = next as? AnyConcat<Element> else { return next }
            iterators.append(inner.makeIterator())
        }
        return nil
    }

    override func inputCompleted() { subscribeToNext() }
}

private final class StartWith<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let elements: [Element]

    init(_ upstream: Source<Element>, _ elements: [Element]) {
        self.upstream = upstream
        self.elements = elements
    }

    override func run(_ downstream: Sink<Element>) {
        let pass = ForwardingSink(into: downstream)
        for element in elements where pass.isLive { pass.next(element) }
        upstream.run(pass)
    }
}
