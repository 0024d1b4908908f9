extension InfallibleType {
    /// Each element, transformed.
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<
        Result
    > {
        Infallible<Result>(asObservable().map(transform))
    }

    /// Each element, transformed, without those for which the transform returns nil.
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) -> Result?)
        -> Infallible<Result>
    {
        Infallible<Result>(asObservable().compactMap(transform))
    }

    /// The elements of the streams that the selector returns for each element, as they arrive.
    @preconcurrency
    public func flatMap<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().flatMap(selector))
    }

    /// As `flatMap`, but each new inner stream ends the subscription to the previous one.
    @preconcurrency
    public func flatMapLatest<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().flatMapLatest(selector))
    }

    /// As `flatMap`, but an element that arrives while an inner stream runs is dropped.
    @preconcurrency
    public func flatMapFirst<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().flatMapFirst(selector))
    }

    /// As `flatMap`, but one inner stream after the other, in order. Later inner streams wait.
    @preconcurrency
    public func concatMap<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().concatMap(selector))
    }

    /// The intermediate results; the accumulator changes the result in place. The seed is not sent.
    @preconcurrency
    public func scan<Sum>(
        into seed: Sum, accumulator: @escaping @Sendable (inout Sum, Element) -> Void
    ) -> Infallible<Sum> {
        Infallible<Sum>(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// The intermediate results: the accumulator is called with the previous result and each element.
    @preconcurrency
    public func scan<Sum>(
        _ seed: Sum, accumulator: @escaping @Sendable (Sum, Element) -> Sum
    ) -> Infallible<Sum> {
        Infallible<Sum>(asObservable().scan(seed, accumulator: accumulator))
    }
}

// For compiler diagnostics of mistakes in closures, as in `ObservableType`.
extension InfallibleType {
    /// Unavailable. Use the `flatMap` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMap() -> Infallible<Never> { .never() }

    /// Unavailable. Use the `flatMapFirst` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapFirst() -> Infallible<Never> { .never() }

    /// Unavailable. Use the `concatMap` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func concatMap() -> Infallible<Never> { .never() }

    /// Unavailable. Use the `flatMapLatest` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapLatest() -> Infallible<Never> { .never() }
}
