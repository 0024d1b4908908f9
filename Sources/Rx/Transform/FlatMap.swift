extension ObservableType {
    /// A stream for each element, all flowing together. It completes when the outer and every inner stream did.
    @preconcurrency
    public func flatMap<Output, Stream: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Output> {
        Observable(Flatten(asObservable().source, streams(selector)) { MergeSink(limit: .max, into: $0) })
    }

    /// A stream for each element that comes while no earlier one flows; other elements are dropped.
    @preconcurrency
    public func flatMapFirst<Output, Stream: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Output> {
        Observable(
            Flatten(asObservable().source, streams(selector)) { MergeSink(limit: 1, dropsExcess: true, into: $0) })
    }

    /// A stream for each element, one after the other in order; later ones wait.
    @preconcurrency
    public func concatMap<Output, Stream: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Output> {
        Observable(Flatten(asObservable().source, streams(selector)) { MergeSink(limit: 1, into: $0) })
    }

    /// A stream for each element; the next one ends the one before.
    @preconcurrency
    public func flatMapLatest<Output, Stream: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Output> {
        Observable(Flatten(asObservable().source, streams(selector)) { SwitchSink(into: $0) })
    }
}

// With a second candidate, the compiler infers the closures of a chain in order, and reports a mistake in a nested closure on its
// own line. `make test-diagnostics` fails without these.
extension ObservableType {
    /// Cannot be called. See the `flatMap` that takes a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMap() -> Observable<Never> { .never() }

    /// Cannot be called. See the `flatMapFirst` that takes a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapFirst() -> Observable<Never> { .never() }

    /// Cannot be called. See the `concatMap` that takes a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func concatMap() -> Observable<Never> { .never() }

    /// Cannot be called. See the `flatMapLatest` that takes a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapLatest() -> Observable<Never> { .never() }
}

/// The selector, with its result as a source.
func streams<Element, Stream: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Stream
) -> (Element) throws -> Source<Stream.Element> {
    { element in try selector(element).asObservable().source }
}
