extension ObservableType {
    /// A stream for each element, all flowing together. It completes when the outer and every inner stream did.
    @preconcurrency
    public func flatMap<Stream: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Stream.Element> {
        Observable(Merge(asObservable().source, streams(selector)))
    }

    /// A stream for each element that comes while no earlier one flows; other elements are dropped.
    @preconcurrency
    public func flatMapFirst<Stream: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Stream.Element> {
        Observable(Merge(asObservable().source, admission: .whenIdle, streams(selector)))
    }

    /// A stream for each element, one after the other in order; later ones wait.
    @preconcurrency
    public func concatMap<Stream: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Stream.Element> {
        Observable(Merge(asObservable().source, limit: 1, streams(selector)))
    }

    /// A stream for each element; the next one ends the one before.
    @preconcurrency
    public func flatMapLatest<Stream: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Stream.Element> {
        Observable(Switch(asObservable().source, streams(selector)))
    }
}

/// The selector, with its result as a source.
func streams<Element, Stream: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Stream
) -> (Element) throws -> Source<Stream.Element> {
    { element in try selector(element).asObservable().source }
}
