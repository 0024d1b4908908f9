extension InfallibleType {
    /// The elements for which the predicate is true.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().filter(predicate))
    }

    /// The first `count` elements, then completion. A negative count traps.
    public func take(_ count: Int) -> Infallible<Element> { Infallible(asObservable().take(count)) }

    /// The elements of that length of time from subscription on, then completion.
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(asObservable().take(for: duration, scheduler: scheduler))
    }

    /// The elements until the other stream sends one, then completion.
    public func take<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable()))
    }

    /// The elements until the other stream sends one, then completion.
    ///
    /// An error of the other stream is ignored.
    public func take<Source: ObservableType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable().catch { _ in .never() }))
    }

    /// The elements before the first one for which the predicate is true; `.inclusive` also sends that one.
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(until: predicate, behavior: behavior))
    }

    /// The elements as long as the predicate is true; `.inclusive` also sends the first other one.
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(while: predicate, behavior: behavior))
    }

    /// The elements after the first `count`. A count of 0 or less skips none.
    public func skip(_ count: Int) -> Infallible<Element> { Infallible(asObservable().skip(count)) }

    /// The elements from the first one on for which the predicate is false.
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().skip(while: predicate))
    }

    /// The elements after the other stream has sent one. An error of the other stream is ignored.
    public func skip<Source: ObservableType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other.asObservable().catch { _ in .never() }))
    }

    /// The elements after the other stream has sent one.
    public func skip<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other.asObservable()))
    }

    /// The elements of the stream, or the given element if the stream completes without any.
    public func ifEmpty(default element: Element) -> Infallible<Element> {
        Infallible(asObservable().ifEmpty(default: element))
    }

    /// The elements of the stream, or the other stream if the first completes without any.
    public func ifEmpty(switchTo other: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().ifEmpty(switchTo: other.asObservable()))
    }

    /// The elements that differ from the previous one.
    public func distinctUntilChanged() -> Infallible<Element> where Element: Equatable {
        Infallible(asObservable().distinctUntilChanged())
    }

    /// The elements with a key that differs from that of the previous one.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) -> Key
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector))
    }

    /// The elements for which the comparer returns false with the previous one.
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(comparer))
    }

    /// The elements with a key for which the comparer returns false with the previous key.
    @preconcurrency
    public func distinctUntilChanged<Key>(
        _ keySelector: @escaping @Sendable (Element) -> Key,
        comparer: @escaping @Sendable (Key, Key) -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// The elements with a value at the key path that differs from that of the previous one.
    public func distinctUntilChanged<Property: Equatable>(
        at keyPath: KeyPath<Element, Property>
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(at: keyPath))
    }
}
