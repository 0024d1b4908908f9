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

    override func run(_ sink: Sink<Result>) {
        let hub = LatestHub(into: sink)
        let selector = selector
        hub.listen(to: second, with: Input<Second>(of: hub, onNext: { hub.keep($0) }, onCompleted: {}))
        hub.listen(
            to: first,
            with: Input<First>(
                of: hub,
                onNext: { value in
                    guard let latest = hub.latest else { return }
                    do {
                        hub.forward(try selector(value, latest.value))
                    } catch {
                        hub.fail(error)
                    }
                },
                onCompleted: { hub.finish() }))
    }

    private final class LatestHub: Hub<Result> {
        // Touched inside the gate only.
        private(set) var latest: Place<Second>?

        func keep(_ value: Second) {
            if let latest { latest.replace(with: value) } else { latest = Place(value) }
        }
    }
}
