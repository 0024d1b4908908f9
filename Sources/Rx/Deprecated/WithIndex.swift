extension ObservableType {
    /// Each element transformed with its number.
    @available(*, deprecated, message: "Use enumerated().map instead.")
    @preconcurrency
    public func mapWithIndex<Result>(
        _ selector: @escaping @Sendable (Element, Int) throws -> Result
    ) -> Observable<Result> {
        enumerated().map { try selector($0.element, $0.index) }
    }

    /// The streams made of the elements and their numbers, all flowing together.
    @available(*, deprecated, message: "Use enumerated().flatMap instead.")
    @preconcurrency
    public func flatMapWithIndex<Output, Inner: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element, Int) throws -> Inner
    ) -> Observable<Output> {
        Observable<Output>(
            Flatten(enumerated().source, streams { try selector($0.element, $0.index) }) {
                MergeSink(limit: .max, into: $0)
            })
    }

    /// The elements from the first one on for which, with its number, the predicate does not hold.
    @available(*, deprecated, message: "Use enumerated().skip(while:).map instead.")
    @preconcurrency
    public func skipWhileWithIndex(
        _ predicate: @escaping @Sendable (Element, Int) throws -> Bool
    ) -> Observable<Element> {
        enumerated().skip(while: { try predicate($0.element, $0.index) }).map { $0.element }
    }

    /// The elements as long as the predicate holds for them and their numbers.
    @available(*, deprecated, message: "Use enumerated().take(while:).map instead.")
    @preconcurrency
    public func takeWhileWithIndex(
        _ predicate: @escaping @Sendable (Element, Int) throws -> Bool
    ) -> Observable<Element> {
        enumerated().take(while: { try predicate($0.element, $0.index) }).map { $0.element }
    }
}
