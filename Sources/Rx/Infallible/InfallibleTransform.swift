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
    public func flatMap<Inner: InfallibleType>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Inner.Element> {
        Infallible<Inner.Element>(asObservable().flatMap(selector))
    }

    /// The stream made of the latest element; an earlier one is given up.
    @preconcurrency
    public func flatMapLatest<Inner: InfallibleType>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Inner.Element> {
        Infallible<Inner.Element>(asObservable().flatMapLatest(selector))
    }

    /// The stream made of an element; elements that come while it lasts are dropped.
    @preconcurrency
    public func flatMapFirst<Inner: InfallibleType>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Inner.Element> {
        Infallible<Inner.Element>(asObservable().flatMapFirst(selector))
    }

    /// The streams made of the elements, one after the other.
    @preconcurrency
    public func concatMap<Inner: InfallibleType>(
        _ selector: @escaping @Sendable (Element) -> Inner
    ) -> Infallible<Inner.Element> {
        Infallible<Inner.Element>(asObservable().concatMap(selector))
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
