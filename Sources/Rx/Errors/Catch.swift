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

    override func run(_ sink: Sink<Element>) { CatchHub(upstream, handler, into: sink).begin() }
}

private final class CatchHub<Element>: Succession<Element> {
    private var next: Source<Element>?
    private var handler: ((any Error) throws -> Observable<Element>)?

    init(
        _ first: Source<Element>, _ handler: @escaping (any Error) throws -> Observable<Element>,
        into downstream: Sink<Element>
    ) {
        next = first
        self.handler = handler
        super.init(into: downstream)
    }

    override func following() -> Source<Element>? { next.take() }

    override func attemptFailed(_ error: any Error) {
        guard let handler = handler.take() else { return fail(error) }
        do {
            next = try handler(error).source
            advance()
        } catch {
            fail(error)
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
