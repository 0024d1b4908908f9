extension ObservableType {
    /// Combines each element with an object, which is held weakly.
    ///
    /// The result completes at the first element after the object is released.
    @preconcurrency
    public func withUnretained<Object: AnyObject & Sendable, Result>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Observable<Result> {
        lift { [weak object] in WithUnretainedSink(object, resultSelector, into: $0) }
    }

    /// Emits each element together with an object, which is held weakly.
    ///
    /// The result completes at the first element after the object is released.
    @preconcurrency
    public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Observable<(Object, Element)> {
        withUnretained(object) { ($0, $1) }
    }
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
