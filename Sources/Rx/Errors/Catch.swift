extension ObservableType {
    /// The stream; if it fails, the stream that the handler makes of the error goes on. A throwing handler fails it.
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        Observable(Catch(asObservable().source, handler))
    }

    /// The stream; if it fails, the element given and then the good end.
    public func catchAndReturn(_ element: Element) -> Observable<Element> {
        Observable(Catch(asObservable().source) { _ in .just(element) })
    }

    /// The first of the streams that does not fail; each failure leads to the next. The last failure is told.
    ///
    /// An empty sequence completes at subscription.
    public static func `catch`<Streams: Sequence>(sequence: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(CatchSequence<Element, Streams>(sequence))
    }
}

private final class Catch<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let handler: (any Error) throws -> Observable<Element>

    init(_ upstream: Source<Element>, _ handler: @escaping (any Error) throws -> Observable<Element>) {
        self.upstream = upstream
        self.handler = handler
    }

    override func run(_ downstream: Sink<Element>) {
        let sink = MultiInputSink(into: downstream)
        sink.subscribe(to: upstream, with: CatchInput(of: sink, handler))
    }
}

/// The stream whose failure is caught. It is given up after the next one was subscribed to, as in RxSwift.
private final class CatchInput<Element>: SerialSink<Element> {
    private let sink: MultiInputSink<Element>
    private let handler: (any Error) throws -> Observable<Element>

    init(of sink: MultiInputSink<Element>, _ handler: @escaping (any Error) throws -> Observable<Element>) {
        self.sink = sink
        self.handler = handler
        super.init(sink.drain)
    }

    override func receive(_ value: Element) { if isLive { sink.forward(value) } }
    override func receiveCompleted() { if isLive { sink.finish() } }

    override func receiveError(_ error: any Error) {
        guard markStopped() else { return }
        do {
            sink.subscribe(to: try handler(error).source, with: ForwardingInput(of: sink))
            sink.removeInput(self)
        } catch {
            sink.fail(error)
        }
    }
}

private final class CatchSequence<Element, Streams: Sequence>: Source<Element>
where Streams.Element == Observable<Element> {
    private let streams: Streams
    init(_ streams: Streams) { self.streams = streams }

    override func run(_ downstream: Sink<Element>) {
        CatchSequenceSink<Element, Streams>(streams.makeIterator(), into: downstream).begin()
    }
}

private final class CatchSequenceSink<Element, Streams: Sequence>: SequentialSink<Element>
where Streams.Element == Observable<Element> {
    private var iterator: Streams.Iterator
    private var lastError: (any Error)?

    init(_ iterator: Streams.Iterator, into downstream: Sink<Element>) {
        self.iterator = iterator
        super.init(into: downstream)
    }

    override func nextSource() -> Source<Element>? { iterator.next()?.source }
    override func sourcesExhausted() { if let lastError { fail(lastError) } else { finish() } }

    override func inputFailed(_ error: any Error) {
        lastError = error
        subscribeToNext()
    }
}
