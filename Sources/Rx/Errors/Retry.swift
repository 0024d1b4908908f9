extension ObservableType {
    /// The stream, subscribed to again each time it fails.
    public func retry() -> Observable<Element> { Observable(Retry(asObservable().source, attempts: nil)) }

    /// The stream, subscribed to at most that many times in all; the last failure is told.
    ///
    /// A count of 0 completes without subscribing; a negative one traps.
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        precondition(maxAttemptCount >= 0, "retry needs a count that is not negative.")
        return Observable(Retry(asObservable().source, attempts: maxAttemptCount))
    }

    /// The stream, subscribed to again each time the stream made by the handler sends an element.
    ///
    /// The handler gets the errors as a stream. What its own stream sends counts after a failure only; when that stream
    /// ends, the whole ends in the same way, at once or at the next failure.
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
        Observable(RetryWhen(asObservable().source) { notificationHandler($0).asObservable().source })
    }
}

private final class Retry<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let attempts: Int?

    init(_ upstream: Source<Element>, attempts: Int?) {
        self.upstream = upstream
        self.attempts = attempts
    }

    override func run(_ downstream: Sink<Element>) { RetrySink(upstream, attempts, into: downstream).begin() }
}

private final class RetrySink<Element>: SequentialSink<Element> {
    private let upstream: Source<Element>
    private var attempts: Int?
    private var lastError: (any Error)?

    init(_ upstream: Source<Element>, _ attempts: Int?, into downstream: Sink<Element>) {
        self.upstream = upstream
        self.attempts = attempts
        super.init(into: downstream)
    }

    override func nextSource() -> Source<Element>? {
        guard let left = attempts else { return upstream }
        attempts = left - 1
        return left > 0 ? upstream : nil
    }

    override func sourcesExhausted() { if let lastError { fail(lastError) } else { finish() } }

    override func inputFailed(_ error: any Error) {
        lastError = error
        subscribeToNext()
    }
}

private final class RetryWhen<Element, Failure, Signal>: Source<Element> {
    private let upstream: Source<Element>
    private let handler: (Observable<Failure>) -> Source<Signal>

    init(_ upstream: Source<Element>, _ handler: @escaping (Observable<Failure>) -> Source<Signal>) {
        self.upstream = upstream
        self.handler = handler
    }

    override func run(_ downstream: Sink<Element>) {
        let errors = PublishSubject<Failure>()
        let sink = RetryWhenSink(upstream, errors, into: downstream)
        let signal = ClosureInput<Signal>(
            of: sink, onNext: { _ in sink.signalled() }, onCompleted: { sink.signalEnded(nil) },
            onError: { sink.signalEnded($0) })
        sink.subscribe(to: handler(errors), with: signal)
        sink.begin()
    }
}

/// Listens to the signal only while the stream lies failed; how the signal ended counts at the next failure.
private final class RetryWhenSink<Element, Failure>: SequentialSink<Element> {
    private let upstream: Source<Element>
    private let errors: PublishSubject<Failure>
    // These are touched inside the drain only.
    private var waits = false
    private var signalHasEnded = false
    private var signalFailure: (any Error)?

    init(_ upstream: Source<Element>, _ errors: PublishSubject<Failure>, into downstream: Sink<Element>) {
        self.upstream = upstream
        self.errors = errors
        super.init(into: downstream)
    }

    override func nextSource() -> Source<Element>? { upstream }

    override func inputFailed(_ error: any Error) {
        guard let failure = error as? Failure else { return fail(error) }
        waits = true
        if signalHasEnded { endWithSignal() } else { errors.onNext(failure) }
    }

    func signalled() {
        guard waits else { return }
        waits = false
        subscribeToNext()
    }

    func signalEnded(_ error: (any Error)?) {
        signalHasEnded = true
        signalFailure = error
        if waits { endWithSignal() }
    }

    private func endWithSignal() {
        if let signalFailure { fail(signalFailure) } else { finish() }
    }
}
