extension ObservableType {
    /// The stream, subscribed to again each time it fails.
    public func retry() -> Observable<Element> { Observable(Retry(asObservable().source, attempts: nil)) }

    /// The stream, subscribed to at most that many times in all; the last failure is told.
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        Observable(Retry(asObservable().source, attempts: maxAttemptCount))
    }

    /// The stream, subscribed to again each time the stream made by the handler sends an element.
    ///
    /// The handler gets the errors as a stream. When its own stream ends, the whole ends in the same way.
    @preconcurrency
    public func retry<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> Observable<Element> {
        Observable(RetryWhen(asObservable().source) { notificationHandler($0).asObservable().source })
    }

    /// As `retry(when:)` for errors of one type; an error of another type is told at once.
    @preconcurrency
    public func retry<Trigger: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> Observable<Element> {
        let source: Source<Element> = RetryWhen(asObservable().source) { errors in
            let typed = Observable<Failure>(CastErrors(errors.source))
            return notificationHandler(typed).asObservable().source
        }
        return Observable(source)
    }
}

private final class Retry<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let attempts: Int?

    init(_ upstream: Source<Element>, attempts: Int?) {
        self.upstream = upstream
        self.attempts = attempts
    }

    override func run(_ sink: Sink<Element>) { RetryHub(upstream, attempts, into: sink).begin() }
}

private final class RetryHub<Element>: Succession<Element> {
    private let upstream: Source<Element>
    private var attempts: Int?
    private var lastError: (any Error)?

    init(_ upstream: Source<Element>, _ attempts: Int?, into downstream: Sink<Element>) {
        self.upstream = upstream
        self.attempts = attempts
        super.init(into: downstream)
    }

    override func following() -> Source<Element>? {
        guard let left = attempts else { return upstream }
        attempts = left - 1
        return left > 0 ? upstream : nil
    }

    override func exhausted() { if let lastError { fail(lastError) } else { finish() } }

    override func attemptFailed(_ error: any Error) {
        lastError = error
        advance()
    }
}

private final class RetryWhen<Element, Signal>: Source<Element> {
    private let upstream: Source<Element>
    private let handler: (Observable<any Error>) -> Source<Signal>

    init(_ upstream: Source<Element>, _ handler: @escaping (Observable<any Error>) -> Source<Signal>) {
        self.upstream = upstream
        self.handler = handler
    }

    override func run(_ sink: Sink<Element>) {
        let errors = PublishSubject<any Error>()
        let hub = RetryWhenHub(upstream, errors, into: sink)
        let signal = Input<Signal>(
            of: hub, onNext: { _ in hub.advance() },
            onCompleted: { hub.finish() })
        hub.listen(to: handler(errors), with: signal)
        hub.begin()
    }
}

private final class RetryWhenHub<Element>: Succession<Element> {
    private let upstream: Source<Element>
    private let errors: PublishSubject<any Error>

    init(_ upstream: Source<Element>, _ errors: PublishSubject<any Error>, into downstream: Sink<Element>) {
        self.upstream = upstream
        self.errors = errors
        super.init(into: downstream)
    }

    override func following() -> Source<Element>? { upstream }
    override func attemptFailed(_ error: any Error) { errors.onNext(error) }
}

/// Errors of one type; one of another type fails the stream.
private final class CastErrors<Failure: Error>: Source<Failure> {
    private let upstream: Source<any Error>
    init(_ upstream: Source<any Error>) { self.upstream = upstream }
    override func run(_ sink: Sink<Failure>) { upstream.run(CastSink(into: sink)) }
}

private final class CastSink<Failure: Error>: Pipe<any Error, Failure> {
    override func next(_ value: any Error) {
        if let failure = value as? Failure { forward(failure) } else { fail(value) }
    }
}
