extension InfallibleType {
    /// Emits the elements of all streams as they arrive. Completes when all streams have completed.
    public static func merge<Streams: Collection>(_ sources: Streams) -> Infallible<Element>
    where Streams.Element == Infallible<Element> {
        merge(Array(sources))
    }

    /// Emits the elements of all streams as they arrive. Completes when all streams have completed.
    public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
        Infallible(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// Emits the elements of all streams as they arrive. Completes when all streams have completed.
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        merge(sources)
    }

    /// Emits the elements of this stream and, after its completion, those of the second stream.
    public func concat<Source: ObservableConvertibleType & InfallibleType>(_ second: Source)
        -> Infallible<Element>
    where Source.Element == Element {
        Infallible(asObservable().concat(second.asObservable()))
    }

    /// Emits the elements of the streams, one stream after the other.
    ///
    /// Each subscription iterates the sequence again and takes the next stream when the previous stream completes.
    public static func concat<Streams: Sequence>(_ sequence: Streams) -> Infallible<Element>
    where Streams.Element == Infallible<Element> {
        Infallible(Observable.concat(sequence.lazy.map { $0.asObservable() }))
    }

    /// Emits the elements of the streams, one stream after the other.
    public static func concat<Streams: Collection>(_ collection: Streams) -> Infallible<Element>
    where Streams.Element == Infallible<Element> {
        Infallible(Observable.concat(collection.map { $0.asObservable() }))
    }

    /// Emits the elements of the streams, one stream after the other.
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        concat(sources)
    }

    /// Emits the given element at subscription, then the elements of the stream.
    public func startWith(_ element: Element) -> Infallible<Element> {
        Infallible(asObservable().startWith(element))
    }

    /// Combines each element with the latest element of the second stream.
    ///
    /// Elements that arrive before the first element of the second stream are dropped.
    @preconcurrency
    public func withLatestFrom<Source: InfallibleType, Result>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(
            asObservable().withLatestFrom(second.asObservable(), resultSelector: resultSelector))
    }

    /// Emits the latest element of the second stream at each element of this stream.
    ///
    /// Elements that arrive before the first element of the second stream are dropped.
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().withLatestFrom(second.asObservable()))
    }

    /// Combines each element with an object, which is held weakly.
    ///
    /// The result completes at the first element after the object is released.
    @preconcurrency
    public func withUnretained<Object: AnyObject & Sendable, Result>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Infallible<Result> {
        Infallible<Result>(asObservable().withUnretained(object, resultSelector: resultSelector))
    }

    /// Emits each element together with an object, which is held weakly.
    ///
    /// The result completes at the first element after the object is released.
    public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Infallible<
        (Object, Element)
    > {
        Infallible<(Object, Element)>(asObservable().withUnretained(object))
    }
}
