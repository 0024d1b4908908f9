extension ObservableConvertibleType where Element: Sendable {
    /// The elements as a sequence for `for try await`. Reading the property subscribes to the stream.
    ///
    /// The loop ends when the stream completes, and throws the error of the stream. Leaving the loop, cancelling the
    /// task or releasing the sequence disposes of the subscription. Elements that wait for the loop are stored without
    /// a limit; use `values(bufferingPolicy:)` to set a limit.
    public var values: AsyncThrowingStream<Element, any Error> { values(bufferingPolicy: .unbounded) }

    /// As `values`, but stores at most as many waiting elements as the policy permits.
    public func values(
        bufferingPolicy: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
    ) -> AsyncThrowingStream<Element, any Error> {
        AsyncThrowingStream(Element.self, bufferingPolicy: bufferingPolicy) { continuation in
            let subscription = asObservable().subscribe(
                onNext: { continuation.yield($0) }, onError: { continuation.finish(throwing: $0) },
                onCompleted: { continuation.finish() },
                // Ends the sequence if other code disposed of the subscription. After another end the call has no
                // effect.
                onDisposed: { continuation.finish(throwing: CancellationError()) })
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}

extension InfallibleType where Element: Sendable {
    /// The elements as a sequence for `for await`. Reading the property subscribes to the stream.
    ///
    /// The loop ends when the stream completes. Leaving the loop, cancelling the task or releasing the sequence
    /// disposes of the subscription. Elements that wait for the loop are stored without a limit; use
    /// `values(bufferingPolicy:)` to set a limit.
    public var values: AsyncStream<Element> { values(bufferingPolicy: .unbounded) }

    /// As `values`, but stores at most as many waiting elements as the policy permits.
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
