extension ObservableType {
    /// The elements of the streams that the selector returns for each element, as they arrive.
    ///
    /// It completes when the outer and all inner streams have. It fails with the first error of a stream or of the
    /// selector.
    @preconcurrency
    public func flatMap<Output, Stream: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Output> {
        Observable(Flatten(asObservable().source, streams(selector)) { MergeSink(limit: .max, into: $0) })
    }

    /// As `flatMap`, but an element that arrives while an inner stream runs is dropped.
    @preconcurrency
    public func flatMapFirst<Output, Stream: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Output> {
        Observable(
            Flatten(asObservable().source, streams(selector)) { MergeSink(limit: 1, dropsExcess: true, into: $0) })
    }

    /// As `flatMap`, but one inner stream after the other, in order. Later inner streams wait.
    @preconcurrency
    public func concatMap<Output, Stream: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Output> {
        Observable(Flatten(asObservable().source, streams(selector)) { MergeSink(limit: 1, into: $0) })
    }

    /// As `flatMap`, but each new inner stream ends the subscription to the previous one.
    @preconcurrency
    public func flatMapLatest<Output, Stream: ObservableConvertibleType<Output>>(
        _ selector: @escaping @Sendable (Element) throws -> Stream
    ) -> Observable<Output> {
        Observable(Flatten(asObservable().source, streams(selector)) { SwitchSink(into: $0) })
    }
}

// With a second candidate, the compiler infers the closures of a chain in order and reports a mistake in a nested
// closure on its own line. `make test-diagnostics` fails without these.
extension ObservableType {
    /// Unavailable. Use the `flatMap` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMap() -> Observable<Never> { .never() }

    /// Unavailable. Use the `flatMapFirst` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapFirst() -> Observable<Never> { .never() }

    /// Unavailable. Use the `concatMap` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func concatMap() -> Observable<Never> { .never() }

    /// Unavailable. Use the `flatMapLatest` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapLatest() -> Observable<Never> { .never() }
}

/// The selector, returning sources.
func streams<Element, Stream: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Stream
) -> (Element) throws -> Source<Stream.Element> {
    { element in try selector(element).asObservable().source }
}
