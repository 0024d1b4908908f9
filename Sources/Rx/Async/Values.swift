extension ObservableConvertibleType where Element: Sendable {
    /// The stream for `for try await`. It is subscribed to at once; leaving the loop, cancelling the task or letting go
    /// of the sequence disposes.
    ///
    /// Elements that come faster than they are taken are kept without a bound, so that none is lost. Where they could
    /// pile up, give `values(bufferingPolicy:)` a bound. The loop ends when the stream completes, and throws what failed
    /// it.
    public var values: AsyncThrowingStream<Element, any Error> { values(bufferingPolicy: .unbounded) }

    /// As `values`, keeping at most as many elements as the policy says.
    public func values(
        bufferingPolicy: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
    ) -> AsyncThrowingStream<Element, any Error> {
        AsyncThrowingStream(Element.self, bufferingPolicy: bufferingPolicy) { continuation in
            let subscription = asObservable().subscribe(
                onNext: { continuation.yield($0) }, onError: { continuation.finish(throwing: $0) },
                onCompleted: { continuation.finish() },
                // Only the first finish counts: this one is for a subscription that was given up from elsewhere.
                onDisposed: { continuation.finish(throwing: CancellationError()) })
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}

extension InfallibleType where Element: Sendable {
    /// The stream for `for await`. It is subscribed to at once; leaving the loop, cancelling the task or letting go of
    /// the sequence disposes.
    ///
    /// Elements that come faster than they are taken are kept without a bound, so that none is lost. Where they could
    /// pile up, give `values(bufferingPolicy:)` a bound.
    public var values: AsyncStream<Element> { values(bufferingPolicy: .unbounded) }

    /// As `values`, keeping at most as many elements as the policy says.
    public func values(
        bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy
    ) -> AsyncStream<Element> {
        AsyncStream(Element.self, bufferingPolicy: bufferingPolicy) { continuation in
            let subscription = asObservable().subscribe(
                onNext: { continuation.yield($0) }, onDisposed: { continuation.finish() })
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}
