extension InfallibleType {
    /// Transforms each element.
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<
        Result
    > {
        Infallible<Result>(asObservable().map(transform))
    }

    /// Transforms each element and drops the elements for which the transform returns nil.
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) -> Result?)
        -> Infallible<Result>
    {
        Infallible<Result>(asObservable().compactMap(transform))
    }

    /// Emits the elements of the inner streams that the selector returns, as they arrive.
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

    /// As `flatMap`, but subscribes to one inner stream after the other. Later inner streams wait in order.
    @preconcurrency
    public func concatMap<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().concatMap(selector))
    }

    /// Emits the accumulated result at each element. The accumulator changes the result in place.
    ///
    /// The seed itself is not sent.
    @preconcurrency
    public func scan<Sum>(
        into seed: Sum, accumulator: @escaping @Sendable (inout Sum, Element) -> Void
    ) -> Infallible<Sum> {
        Infallible<Sum>(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// Emits the result of the accumulator for the previous result and each element.
    @preconcurrency
    public func scan<Sum>(
        _ seed: Sum, accumulator: @escaping @Sendable (Sum, Element) -> Sum
    ) -> Infallible<Sum> {
        Infallible<Sum>(asObservable().scan(seed, accumulator: accumulator))
    }
}

// These overloads improve compiler diagnostics, for the reason that FlatMap.swift gives.
extension InfallibleType {
    /// Unavailable. Use `flatMap` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMap() -> Infallible<Never> { .never() }

    /// Unavailable. Use `flatMapFirst` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapFirst() -> Infallible<Never> { .never() }

    /// Unavailable. Use `concatMap` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func concatMap() -> Infallible<Never> { .never() }

    /// Unavailable. Use `flatMapLatest` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapLatest() -> Infallible<Never> { .never() }
}
