extension ObservableType {
    /// A stream for each element, all flowing together. It completes when the outer and every inner stream did.
    @preconcurrency
    public func flatMap<Stream: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Stream.Element> {
        Observable(Flatten(asObservable().source, streams(selector)) { MergeHub(limit: .max, into: $0) })
    }

    /// A stream for each element that comes while no earlier one flows; other elements are dropped.
    @preconcurrency
    public func flatMapFirst<Stream: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Stream.Element> {
        Observable(
            Flatten(asObservable().source, streams(selector)) { MergeHub(limit: 1, dropsExcess: true, into: $0) })
    }

    /// A stream for each element, one after the other in order; later ones wait.
    @preconcurrency
    public func concatMap<Stream: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Stream.Element> {
        Observable(Flatten(asObservable().source, streams(selector)) { MergeHub(limit: 1, into: $0) })
    }

    /// A stream for each element; the next one ends the one before.
    @preconcurrency
    public func flatMapLatest<Stream: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Stream.Element> {
        Observable(Flatten(asObservable().source, streams(selector)) { SwitchHub(into: $0) })
    }
}

/// The selector, with its result as a source.
func streams<Element, Stream: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Stream
) -> (Element) throws -> Source<Stream.Element> {
    { element in try selector(element).asObservable().source }
}
