extension InfallibleType {
    /// Emits the elements for which the predicate is true.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().filter(predicate))
    }

    /// Emits the first `count` elements, then completes. A negative count traps.
    public func take(_ count: Int) -> Infallible<Element> { Infallible(asObservable().take(count)) }

    /// Emits elements for the given time after subscription, then completes.
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<
        Element
    > {
        Infallible(asObservable().take(for: duration, scheduler: scheduler))
    }

    /// Emits elements until the other stream sends an element, then completes.
    public func take<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable()))
    }

    /// Emits elements until the other stream sends an element, then completes.
    ///
    /// An error of the other stream is ignored.
    public func take<Source: ObservableType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().take(until: other.asObservable().catch { _ in .never() }))
    }

    /// Emits elements until the predicate is true for an element, then completes.
    ///
    /// `.inclusive` also emits that element.
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(until: predicate, behavior: behavior))
    }

    /// Emits elements as long as the predicate is true, then completes.
    ///
    /// `.inclusive` also emits the first element for which the predicate is false.
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Infallible<Element> {
        Infallible(asObservable().take(while: predicate, behavior: behavior))
    }

    /// Skips the first `count` elements. A count of 0 or less skips none.
    public func skip(_ count: Int) -> Infallible<Element> { Infallible(asObservable().skip(count)) }

    /// Skips elements as long as the predicate is true, then emits all further elements.
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) -> Bool) -> Infallible<Element> {
        Infallible(asObservable().skip(while: predicate))
    }

    /// Skips elements until the other stream sends an element. An error of the other stream is ignored.
    public func skip<Source: ObservableType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other.asObservable().catch { _ in .never() }))
    }

    /// Skips elements until the other stream sends an element.
    public func skip<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
        Infallible(asObservable().skip(until: other.asObservable()))
    }

    /// Emits the elements of the stream, or the given element if the stream completes without any.
    public func ifEmpty(default element: Element) -> Infallible<Element> {
        Infallible(asObservable().ifEmpty(default: element))
    }

    /// Emits the elements of the stream, or of the other stream if the stream completes without elements.
    public func ifEmpty(switchTo other: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().ifEmpty(switchTo: other.asObservable()))
    }

    /// Emits the elements that differ from the previous element.
    public func distinctUntilChanged() -> Infallible<Element> where Element: Equatable {
        Infallible(asObservable().distinctUntilChanged())
    }

    /// Emits the elements with a key that differs from the key of the previous element.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) -> Key
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector))
    }

    /// Emits the elements for which the comparer returns false, called with the last emitted element.
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (Element, Element) -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(comparer))
    }

    /// Emits the elements if the comparer returns false for the last emitted key and their key.
    @preconcurrency
    public func distinctUntilChanged<Key>(
        _ keySelector: @escaping @Sendable (Element) -> Key,
        comparer: @escaping @Sendable (Key, Key) -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// Emits the elements if their value at the key path differs from that of the previous element.
    public func distinctUntilChanged<Property: Equatable>(
        at keyPath: KeyPath<Element, Property>
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(at: keyPath))
    }
}
