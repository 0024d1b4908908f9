extension ObservableType {
    /// Each element joined with the latest of the second stream; elements before its first are dropped.
    @preconcurrency
    public func withLatestFrom<Stream: ObservableConvertibleType, Result>(
        _ second: Stream, resultSelector: @escaping @Sendable (Element, Stream.Element) throws -> Result
    ) -> Observable<Result> {
        Observable(WithLatestFrom(asObservable().source, second.asObservable().source, resultSelector))
    }

    /// At each element the latest one of the second stream; elements before its first are dropped.
    public func withLatestFrom<Stream: ObservableConvertibleType>(_ second: Stream) -> Observable<Stream.Element> {
        Observable(WithLatestFrom(asObservable().source, second.asObservable().source) { $1 })
    }
}

private final class WithLatestFrom<First, Second, Result>: Source<Result> {
    private let first: Source<First>
    private let second: Source<Second>
    private let selector: @Sendable (First, Second) throws -> Result

    init(
        _ first: Source<First>, _ second: Source<Second>,
        _ selector: @escaping @Sendable (First, Second) throws -> Result
    ) {
        self.first = first
        self.second = second
        self.selector = selector
    }

    override func run(_ downstream: Sink<Result>) {
        let sink = WithLatestFromSink(into: downstream)
        let selector = selector
        sink.subscribe(to: second, with: ClosureInput<Second>(of: sink, onNext: { sink.keep($0) }, onCompleted: {}))
        sink.subscribe(
            to: first,
            with: ClosureInput<First>(
                of: sink,
                onNext: { value in
                    guard let latest = sink.latest else { return }
                    do {
                        sink.forward(try selector(value, latest.value))
                    } catch {
                        sink.fail(error)
                    }
                },
                onCompleted: { sink.finish() }))
    }

    private final class WithLatestFromSink: MultiInputSink<Result> {
        // Touched inside the drain only.
        private(set) var latest: Box<Second>?

        func keep(_ value: Second) {
            if let latest { latest.replace(with: value) } else { latest = Box(value) }
        }
    }
}
