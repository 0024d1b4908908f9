/// The shape of a sequence that may bring an element: `Single` and `Maybe`.
public protocol ValueTrait {}

extension SingleTrait: ValueTrait {}
extension MaybeTrait: ValueTrait {}

extension PrimitiveSequenceType where Trait: ValueTrait {
    /// A sequence of the element, sent at subscription.
    public static func just(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// A sequence of the element, sent on the scheduler.
    public static func just(
        _ element: Element, scheduler: any ImmediateSchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// The element transformed. A throwing transform is an error of the sequence.
    @preconcurrency
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> PrimitiveSequence<Trait, Result> {
        PrimitiveSequence<Trait, Result>(raw: primitiveSequence.stream.map(transform))
    }

    /// The element if the predicate holds.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.stream.filter(predicate))
    }

    /// The element transformed, unless the transform gives nil.
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) throws -> Result?)
        -> Maybe<Result>
    {
        Maybe(raw: primitiveSequence.stream.compactMap(transform))
    }

    /// The sequence made of the element.
    @preconcurrency
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> PrimitiveSequence<Trait, Result>
    ) -> PrimitiveSequence<Trait, Result> {
        PrimitiveSequence<Trait, Result>(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// The `Completable` made of the element.
    @preconcurrency
    public func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        Completable(raw: primitiveSequence.stream.flatMap(selector))
    }

    /// The sequence; if it fails, the element given.
    public func catchAndReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: primitiveSequence.stream.catchAndReturn(element))
    }

    /// Only the end of it.
    public func asCompletable() -> Completable {
        Completable(raw: primitiveSequence.stream.ignoreElements())
    }
}
