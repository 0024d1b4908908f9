extension ObservableType {
    /// Forwards the stream and, after an error, the stream that the handler returns for the error.
    ///
    /// If the handler throws, the stream fails with that error.
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let sink = MultiInputSink(into: downstream)
                sink.subscribe(to: upstream, with: CatchInput(of: sink, handler))
            })
    }

    /// Forwards the stream. Instead of an error, sends the given element and completes.
    public func catchAndReturn(_ element: Element) -> Observable<Element> {
        let replacement = Observable.just(element)
        return `catch` { _ in replacement }
    }

    /// Forwards the first stream and, after each error, the next stream.
    ///
    /// The result completes with the first stream that completes, and fails with the error of the last stream. For an
    /// empty sequence, the result completes at subscription.
    public static func `catch`<Streams: Sequence>(sequence: Streams) -> Observable<Element>
    where Streams.Element == Observable<Element> {
        Observable(
            MultiInputSource { CatchSequenceSink<Element, Streams>(sequence.makeIterator(), into: $0).begin() })
    }
}

/// The input of `catch`, which subscribes to the handler's stream after an error.
///
/// As in RxSwift, the input is disposed of after that subscription.
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
