extension ObservableConvertibleType where Element: Sendable {
    /// The stream for `for try await`. Iterating subscribes; leaving the loop, or cancelling the task, disposes.
    ///
    /// Elements that come faster than they are taken are kept without a bound, so that none is lost. Where they could
    /// pile up, give `values(bufferingPolicy:)` a bound.
    public var values: ObservableValues<Element> { values(bufferingPolicy: .unbounded) }

    /// As `values`, keeping at most as many elements as the policy says.
    public func values(bufferingPolicy: ObservableValues<Element>.BufferingPolicy) -> ObservableValues<Element> {
        ObservableValues(asObservable(), bufferingPolicy)
    }
}

/// A stream as an `AsyncSequence`; each iterator is a subscription of its own.
public struct ObservableValues<Element: Sendable>: AsyncSequence, Sendable {
    /// What fails it.
    public typealias Failure = any Error
    /// How many elements wait for a slow reader, and which are dropped.
    public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
    /// Reads the elements one by one.
    public typealias AsyncIterator = AsyncThrowingStream<Element, any Error>.Iterator

    private let stream: Observable<Element>
    private let policy: BufferingPolicy

    init(_ stream: Observable<Element>, _ policy: BufferingPolicy) {
        self.stream = stream
        self.policy = policy
    }

    /// Subscribes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncThrowingStream(Element.self, bufferingPolicy: policy) { continuation in
            let subscription = stream.subscribe(
                onNext: { continuation.yield($0) }, onError: { continuation.finish(throwing: $0) },
                onCompleted: { continuation.finish() }, onDisposed: { continuation.finish() })
            continuation.onTermination = { _ in subscription.dispose() }
        }.makeAsyncIterator()
    }
}
