extension ObservableType {
    /// Emits the elements of this stream and, after its completion, those of the second stream.
    public func concat<Stream: ObservableConvertibleType>(_ second: Stream) -> Observable<Element>
    where Stream.Element == Element {
        Observable<Element>.concat([asObservable(), second.asObservable()])
    }

    /// Emits the elements of the streams, one stream after the other.
    ///
    /// Each subscription iterates the sequence again and takes the next stream when the previous stream completes. For
    /// an empty sequence, the result completes at subscription. The result fails with the first error.
    public static func concat<Streams: Sequence>(_ sequence: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(Concat<Element, _>(sequence))
    }

    /// Emits the elements of the streams, one stream after the other. Fails with the first error.
    public static func concat<Streams: Collection>(_ collection: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(Concat<Element, _>(collection))
    }

    /// Emits the elements of the streams, one stream after the other. Fails with the first error.
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        Observable(Concat<Element, _>(sources))
    }

    /// Emits the given elements at subscription, then the elements of the stream.
    public func startWith(_ elements: Element...) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = ForwardingSink(into: downstream)
                sink.attachToDownstream()
                for element in elements where sink.isLive { sink.next(element) }
                upstream.run(sink)
            })
    }
}

/// The base class of every `concat`, by which `ConcatSink` recognizes a nested `concat`.
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

/// A sink that subscribes to the streams of nested `concat`s, at any depth, as one list.
///
/// A stream that continues with a further `concat` again and again uses no more stack and no more sinks.
private final class ConcatSink<Element>: SequentialSink<Element> {
    // One iterator for each level of nesting. The innermost iterator is last.
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
