extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// This one, and after it completed the second one.
    public func andThen(_ second: Completable) -> Completable {
        Completable(raw: Observable(AndThen(primitiveSequence.stream.source, second.stream.source)))
    }

    /// This one, and after it completed the `Single`.
    public func andThen<Result>(_ second: Single<Result>) -> Single<Result> {
        Single(raw: Observable(AndThen(primitiveSequence.stream.source, second.stream.source)))
    }

    /// This one, and after it completed the `Maybe`.
    public func andThen<Result>(_ second: Maybe<Result>) -> Maybe<Result> {
        Maybe(raw: Observable(AndThen(primitiveSequence.stream.source, second.stream.source)))
    }

    /// This one, and after it completed the stream.
    public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
        Observable(AndThen(primitiveSequence.stream.source, second.source))
    }
}

private final class AndThen<Element>: Source<Element> {
    private let first: Source<Never>
    private let second: Source<Element>

    init(_ first: Source<Never>, _ second: Source<Element>) {
        self.first = first
        self.second = second
    }

    override func run(_ downstream: Sink<Element>) {
        let sink = MultiInputSink(into: downstream)
        let second = second
        sink.subscribe(
            to: first,
            with: ClosureInput<Never>(
                of: sink, onNext: { _ in },
                onCompleted: { sink.subscribe(to: second, with: ForwardingInput(of: sink)) }))
    }
}
