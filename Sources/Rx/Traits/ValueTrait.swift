/// Marks a sequence that may have an element: `Single` and `Maybe`.
public protocol ValueTrait {}

extension SingleTrait: ValueTrait {}
extension MaybeTrait: ValueTrait {}

extension PrimitiveSequenceType where Trait: ValueTrait {
    /// A sequence of one element, which it sends at subscription.
    public static func just(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// A sequence of one element, which it sends on the scheduler.
    public static func just(
        _ element: Element, scheduler: any ImmediateSchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// The element, transformed.
    ///
    /// If the transform throws, the sequence fails with that error.
    @preconcurrency
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> PrimitiveSequence<Trait, Result> {
        PrimitiveSequence<Trait, Result>(raw: primitiveSequence.stream.map(transform))
    }

    /// The element if the predicate is true for it, otherwise no element.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.stream.filter(predicate))
    }

    /// The element, transformed, or no element if the transform returns nil.
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) throws -> Result?)
        -> Maybe<Result>
    {
        Maybe(raw: primitiveSequence.stream.compactMap(transform))
    }

    /// The sequence that the selector returns for the element.
    @preconcurrency
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> PrimitiveSequence<Trait, Result>
    ) -> PrimitiveSequence<Trait, Result> {
        PrimitiveSequence<Trait, Result>(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// The `Completable` that the selector returns for the element.
    @preconcurrency
    public func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        Completable(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// Forwards the sequence. Instead of an error, sends the given element.
    public func catchAndReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: primitiveSequence.stream.catchAndReturn(element))
    }

    /// The outcome without the element.
    public func asCompletable() -> Completable {
        Completable(raw: primitiveSequence.stream.ignoreElements())
    }
}
