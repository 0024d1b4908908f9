extension InfallibleType {
    /// Each element transformed.
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<
        Result
    > {
        Infallible<Result>(asObservable().map(transform))
    }

    /// Each element transformed, without those for which the transform gives nil.
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) -> Result?)
        -> Infallible<Result>
    {
        Infallible<Result>(asObservable().compactMap(transform))
    }

    /// The streams made of the elements, all flowing together.
    @preconcurrency
    public func flatMap<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().flatMap(selector))
    }

    /// The stream made of the latest element; an earlier one is given up.
    @preconcurrency
    public func flatMapLatest<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().flatMapLatest(selector))
    }

    /// The stream made of an element; elements that come while it lasts are dropped.
    @preconcurrency
    public func flatMapFirst<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().flatMapFirst(selector))
    }

    /// The streams made of the elements, one after the other.
    @preconcurrency
    public func concatMap<Output, Inner: InfallibleType<Output>>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Output> {
        Infallible<Output>(asObservable().concatMap(selector))
    }

    /// What has been gathered so far, at each element.
    @preconcurrency
    public func scan<Sum>(
        into seed: Sum, accumulator: @escaping @Sendable (inout Sum, Element) -> Void
    ) -> Infallible<Sum> {
        Infallible<Sum>(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// What has been gathered so far, at each element.
    @preconcurrency
    public func scan<Sum>(
        _ seed: Sum, accumulator: @escaping @Sendable (Sum, Element) -> Sum
    ) -> Infallible<Sum> {
        Infallible<Sum>(asObservable().scan(seed, accumulator: accumulator))
    }
}

// For diagnostics of mistakes in closures, as in `ObservableType`.
extension InfallibleType {
    /// Cannot be called. See the `flatMap` that takes a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMap() -> Infallible<Never> { .never() }

    /// Cannot be called. See the `flatMapFirst` that takes a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapFirst() -> Infallible<Never> { .never() }

    /// Cannot be called. See the `concatMap` that takes a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func concatMap() -> Infallible<Never> { .never() }

    /// Cannot be called. See the `flatMapLatest` that takes a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapLatest() -> Infallible<Never> { .never() }
}
