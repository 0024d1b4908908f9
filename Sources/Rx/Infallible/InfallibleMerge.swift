extension InfallibleType {
    /// All the streams flowing together. It completes when all did.
    public static func merge<Streams: Collection>(_ sources: Streams) -> Infallible<Element>
    where Streams.Element == Infallible<Element> {
        merge(Array(sources))
    }

    /// All the streams flowing together. It completes when all did.
    public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
        Infallible(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// All the streams flowing together. It completes when all did.
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        merge(sources)
    }

    /// The stream, and after it completed the second one.
    public func concat<Source: ObservableConvertibleType & InfallibleType>(_ second: Source)
        -> Infallible<Element>
    where Source.Element == Element {
        Infallible(asObservable().concat(second.asObservable()))
    }

    /// The streams one after the other. The sequence is walked as far as streams complete, anew for each subscription.
    public static func concat<Streams: Sequence>(_ sequence: Streams) -> Infallible<Element>
    where Streams.Element == Infallible<Element> {
        Infallible(Observable.concat(sequence.lazy.map { $0.asObservable() }))
    }

    /// The streams one after the other.
    public static func concat<Streams: Collection>(_ collection: Streams) -> Infallible<Element>
    where Streams.Element == Infallible<Element> {
        Infallible(Observable.concat(collection.map { $0.asObservable() }))
    }

    /// The streams one after the other.
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        concat(sources)
    }

    /// The element given, then the stream.
    public func startWith(_ element: Element) -> Infallible<Element> {
        Infallible(asObservable().startWith(element))
    }

    /// Each element joined with the latest of the second stream; elements before its first are dropped.
    @preconcurrency
    public func withLatestFrom<Source: InfallibleType, Result>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(
            asObservable().withLatestFrom(second.asObservable(), resultSelector: resultSelector))
    }

    /// At each element the latest one of the second stream; elements before its first are dropped.
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().withLatestFrom(second.asObservable()))
    }

    /// Each element joined with the object, which is held weakly; when it is gone, the stream completes.
    @preconcurrency
    public func withUnretained<Object: AnyObject & Sendable, Result>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(asObservable().withUnretained(object, resultSelector: resultSelector))
    }

    /// Each element with the object, which is held weakly; when it is gone, the stream completes.
    public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Infallible<
        (Object, Element)
    > {
        Infallible<(Object, Element)>(asObservable().withUnretained(object))
    }
}
