extension ObservableType {
    /// Subscribes to the stream again after each error, without a limit.
    public func retry() -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(MultiInputSource { RetrySink(upstream, attempts: nil, into: $0).begin() })
    }

    /// Subscribes to the stream again after an error, at most `maxAttemptCount` times in total.
    ///
    /// The result fails with the error of the last attempt. With a count of 0, it completes without subscribing. A
    /// negative count traps.
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        precondition(maxAttemptCount >= 0, "retry: the count must not be negative.")
        let upstream = asObservable().source
        return Observable(MultiInputSource { RetrySink(upstream, attempts: maxAttemptCount, into: $0).begin() })
    }

    /// After an error, subscribes to the stream again when the handler's stream sends an element.
    ///
    /// The handler receives the errors as a stream. An element of the handler's stream has an effect only after an
    /// error. When the handler's stream ends, the result ends in the same way: at once after an error, otherwise at the
    /// next error.
    @preconcurrency
    public func retry<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> Observable<Element> {
        retrying { notificationHandler($0).asObservable().source }
    }

    /// As `retry(when:)` for errors of one type. An error of another type is forwarded at once.
    @preconcurrency
    public func retry<Trigger: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> Observable<Element> {
        retrying { notificationHandler($0).asObservable().source }
    }

    private func retrying<Failure, Signal>(
        _ handler: @escaping (Observable<Failure>) -> Source<Signal>
    ) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                let errors = PublishSubject<Failure>()
                let sink = RetryWhenSink(upstream, errors, into: downstream)
                let signal = ClosureInput<Signal>(
                    of: sink, onNext: { _ in sink.signalled() }, onCompleted: { sink.signalEnded(nil) },
                    onError: { sink.signalEnded($0) })
                sink.subscribe(to: handler(errors), with: signal)
                sink.begin()
            })
    }
}

private final class RetrySink<Element>: SequentialSink<Element> {
    private let upstream: Source<Element>
    private var attempts: Int?
    private var lastError: (any Error)?

    init(_ upstream: Source<Element>, attempts: Int?, into downstream: Sink<Element>) {
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

/// The sink of `retry(when:)`. It ignores the handler's stream unless it waits after an error.
///
/// If the handler's stream has ended before an error, the result ends at that error.
private final class RetryWhenSink<Element, Failure>: SequentialSink<Element> {
    private let upstream: Source<Element>
    private let errors: PublishSubject<Failure>
    // Used inside the operator's serial drain only.
    private var isWaiting = false
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
        isWaiting = true
        if signalHasEnded { endWithSignal() } else { errors.onNext(failure) }
    }

    func signalled() {
        guard isWaiting else { return }
        isWaiting = false
        subscribeToNext()
    }

    func signalEnded(_ error: (any Error)?) {
        signalHasEnded = true
        signalFailure = error
        if isWaiting { endWithSignal() }
    }

    private func endWithSignal() {
        if let signalFailure { fail(signalFailure) } else { finish() }
    }
}
