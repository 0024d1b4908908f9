extension ObservableType {
    /// Each element joined with an object that is held weakly. At the first element after the object is gone the stream
    /// completes.
    @preconcurrency
    public func withUnretained<Object: AnyObject & Sendable, Result>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Observable<Result> {
        Observable<Result>(WithUnretained(asObservable().source, object, resultSelector))
    }

    /// Each element with an object that is held weakly. At the first element after the object is gone the stream
    /// completes.
    @preconcurrency
    public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Observable<(Object, Element)> {
        withUnretained(object) { ($0, $1) }
    }
}

private final class WithUnretained<Object: AnyObject, Input, Output>: Source<Output> {
    private let upstream: Source<Input>
    private weak var object: Object?
    private let selector: @Sendable (Object, Input) -> Output

    init(_ upstream: Source<Input>, _ object: Object?, _ selector: @escaping @Sendable (Object, Input) -> Output) {
        self.upstream = upstream
        self.object = object
        self.selector = selector
    }

    override func run(_ sink: Sink<Output>) { upstream.run(WithUnretainedSink(object, selector, into: sink)) }
}

private final class WithUnretainedSink<Object: AnyObject, Input, Output>: SingleInputSink<Input, Output> {
    private weak var object: Object?
    private let selector: @Sendable (Object, Input) -> Output

    init(_ object: Object?, _ selector: @escaping @Sendable (Object, Input) -> Output, into downstream: Sink<Output>) {
        self.object = object
        self.selector = selector
        super.init(into: downstream)
    }

    override func next(_ value: Input) {
        if let object { forward(selector(object, value)) } else { finish() }
    }
}
