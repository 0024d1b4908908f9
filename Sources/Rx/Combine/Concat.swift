extension ObservableType {
    /// This stream, then the second one after it completed.
    public func concat<Stream: ObservableConvertibleType>(_ second: Stream) -> Observable<Element>
    where Stream.Element == Element {
        Observable<Element>.concat([asObservable(), second.asObservable()])
    }

    /// The streams one after the other.
    ///
    /// Each subscription iterates the sequence again, as far as streams complete. An empty sequence completes at
    /// subscription. It fails with the first error.
    public static func concat<Streams: Sequence>(_ sequence: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(Concat<Element, _>(sequence))
    }

    /// The streams one after the other. It fails with the first error.
    public static func concat<Streams: Collection>(_ collection: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(Concat<Element, _>(collection))
    }

    /// The streams one after the other. It fails with the first error.
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        Observable(Concat<Element, _>(sources))
    }

    /// The given elements at subscription, then the stream.
    public func startWith(_ elements: Element...) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = ForwardingSink(into: downstream)
                for element in elements where sink.isLive { sink.next(element) }
                upstream.run(sink)
            })
    }
}

/// Streams one after the other.
///
/// The common base of `concat` of any sequence, which makes nested ones recognizable.
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

/// Subscribes to the streams of nested `concat`s, at any depth, as one list.
///
/// A stream that continues with a further `concat` again and again needs neither stack nor a growing number of sinks.
private final class ConcatSink<Element>: SequentialSink<Element> {
    // The innermost is last.
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
