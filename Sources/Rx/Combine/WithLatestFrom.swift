extension ObservableType {
    /// Combines each element with the latest element of the second stream.
    ///
    /// Elements that arrive before the first element of the second stream are dropped. The result completes with this
    /// stream, and fails with the first error of either stream or of the selector.
    @preconcurrency
    public func withLatestFrom<Stream: ObservableConvertibleType, Result>(
        _ second: Stream, resultSelector: @escaping @Sendable (Element, Stream.Element) throws -> Result
    ) -> Observable<Result> {
        Observable(withLatest(asObservable().source, second.asObservable().source, resultSelector))
    }

    /// Emits the latest element of the second stream at each element of this stream.
    ///
    /// Elements that arrive before the first element of the second stream are dropped. The result completes with this
    /// stream, and fails with the first error of either stream.
    public func withLatestFrom<Stream: ObservableConvertibleType>(_ second: Stream) -> Observable<Stream.Element> {
        withLatestFrom(second) { $1 }
    }
}

// The type parameters are element types, not stream types: looking up `Stream.Element` at each element would cost
// instructions.
private func withLatest<First, Second, Result>(
    _ first: Source<First>, _ second: Source<Second>, _ selector: @escaping @Sendable (First, Second) throws -> Result
) -> Source<Result> {
    MultiInputSource { downstream in
        let sink = WithLatestFromSink<Second, Result>(into: downstream)
        sink.subscribe(
            to: second, with: ClosureInput<Second>(of: sink, onNext: { sink.latest.store($0) }, onCompleted: {}))
        sink.subscribe(
            to: first,
            with: ClosureInput<First>(
                of: sink,
                onNext: { value in
                    if sink.latest.isEmpty { return }
                    do {
                        sink.forward(try selector(value, sink.latest.value))
                    } catch {
                        sink.fail(error)
                    }
                },
                onCompleted: { sink.finish() }))
    }
}

private final class WithLatestFromSink<Second, Result>: MultiInputSink<Result> {
    // Used inside the operator's serial drain only.
    let latest = Box<Second>()
}
