extension ObservableType {
    /// Emits the elements of the inner streams that the selector returns, as they arrive.
    ///
    /// The result completes when the outer and all inner streams have completed. It fails with the first error of a
    /// stream or of the selector.
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

    /// As `flatMap`, but subscribes to one inner stream after the other. Later inner streams wait in order.
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

// With a second overload, the compiler infers the closures of a chain in order. So it reports a mistake in a nested
// closure on its own line; `make test-diagnostics` checks this.
extension ObservableType {
    /// Unavailable. Use `flatMap` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMap() -> Observable<Never> { .never() }

    /// Unavailable. Use `flatMapFirst` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapFirst() -> Observable<Never> { .never() }

    /// Unavailable. Use `concatMap` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func concatMap() -> Observable<Never> { .never() }

    /// Unavailable. Use `flatMapLatest` with a closure.
    @available(*, unavailable, message: "Pass a closure that returns a stream.")
    public func flatMapLatest() -> Observable<Never> { .never() }
}

/// Returns the selector with its result converted to an `Observable`.
func streams<Element, Stream: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Stream
) -> (Element) throws -> Observable<Stream.Element> {
    { element in try selector(element).asObservable() }
}
