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

    override func run(_ sink: Sink<Element>) {
        let hub = Hub(into: sink)
        hub.listen(to: upstream, with: CaughtSink(of: hub, handler))
    }
}

/// The stream whose failure is caught. It is given up after the next one was subscribed to, as in RxSwift.
private final class CaughtSink<Element>: SerialSink<Element> {
    private let hub: Hub<Element>
    private let handler: (any Error) throws -> Observable<Element>

    init(of hub: Hub<Element>, _ handler: @escaping (any Error) throws -> Observable<Element>) {
        self.hub = hub
        self.handler = handler
        super.init(hub.gate)
    }

    override func receive(_ value: Element) { if isLive { hub.forward(value) } }
    override func receiveCompleted() { if isLive { hub.finish() } }

    override func receiveError(_ error: any Error) {
        guard markStopped() else { return }
        do {
            hub.listen(to: try handler(error).source, with: HubInput(of: hub))
            hub.drop(self)
        } catch {
            hub.fail(error)
        }
    }
}

private final class CatchSequence<Element, Streams: Sequence>: Source<Element>
where Streams.Element == Observable<Element> {
    private let streams: Streams
    init(_ streams: Streams) { self.streams = streams }

    override func run(_ sink: Sink<Element>) {
        CatchSequenceHub<Element, Streams>(streams.makeIterator(), into: sink).begin()
    }
}

private final class CatchSequenceHub<Element, Streams: Sequence>: Succession<Element>
where Streams.Element == Observable<Element> {
    private var iterator: Streams.Iterator
    private var lastError: (any Error)?

    init(_ iterator: Streams.Iterator, into downstream: Sink<Element>) {
        self.iterator = iterator
        super.init(into: downstream)
    }

    override func following() -> Source<Element>? { iterator.next()?.source }
    override func exhausted() { if let lastError { fail(lastError) } else { finish() } }

    override func attemptFailed(_ error: any Error) {
        lastError = error
        advance()
    }
}
