extension PrimitiveSequence {
    /// The sequence; if it fails, what the handler makes of the error.
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.catch { try handler($0).stream })
    }

    /// The sequence, subscribed to again each time it fails.
    public func retry() -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry())
    }

    /// The sequence, subscribed to at most that many times in all; a negative count traps.
    public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry(maxAttemptCount))
    }

    /// The sequence, subscribed to again each time the handler's stream sends an element.
    @preconcurrency
    public func retry<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry(when: notificationHandler))
    }

    /// As `retry(when:)` for errors of one type; an error of another type is told at once.
    @preconcurrency
    public func retry<Trigger: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: stream.retry(when: notificationHandler))
    }
}
