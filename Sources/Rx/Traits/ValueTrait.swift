/// The protocol of the types that mark a sequence with an element: `Single` and `Maybe`.
public protocol ValueTrait {}

extension SingleTrait: ValueTrait {}
extension MaybeTrait: ValueTrait {}

extension PrimitiveSequenceType where Trait: ValueTrait {
    /// Creates a sequence that sends the element at subscription.
    public static func just(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// Creates a sequence that sends the element on the scheduler.
    public static func just(
        _ element: Element, scheduler: any ImmediateSchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// Transforms the element.
    ///
    /// If the transform throws, the sequence fails with that error.
    @preconcurrency
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> PrimitiveSequence<Trait, Result> {
        PrimitiveSequence<Trait, Result>(raw: primitiveSequence.stream.map(transform))
    }

    /// Emits the element if the predicate is true for it; otherwise completes without an element.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.stream.filter(predicate))
    }

    /// Transforms the element, or completes without an element if the transform returns nil.
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) throws -> Result?)
        -> Maybe<Result>
    {
        Maybe(raw: primitiveSequence.stream.compactMap(transform))
    }

    /// Forwards the outcome of the sequence that the selector returns for the element.
    @preconcurrency
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> PrimitiveSequence<Trait, Result>
    ) -> PrimitiveSequence<Trait, Result> {
        PrimitiveSequence<Trait, Result>(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// Forwards the outcome of the `Completable` that the selector returns for the element.
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

    /// Converts the sequence to a `Completable`, which drops the element.
    public func asCompletable() -> Completable {
        Completable(raw: primitiveSequence.stream.ignoreElements())
    }
}
