extension ObservableType {
    /// The stream as a `Single`: fails with `RxError.noElements` or `.moreThanOneElement` if it is none.
    public func asSingle() -> Single<Element> {
        Single(raw: Observable(Only(asObservable().source, needsOne: true)))
    }

    /// The stream as a `Maybe`: fails with `RxError.moreThanOneElement` if it is none.
    public func asMaybe() -> Maybe<Element> {
        Maybe(raw: Observable(Only(asObservable().source, needsOne: false)))
    }
}

extension ObservableType where Element == Never {
    /// The stream as a `Completable`.
    public func asCompletable() -> Completable { Completable(raw: asObservable()) }
}

/// Sends its one element together with the good end.
private final class Only<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let needsOne: Bool

    init(_ upstream: Source<Element>, needsOne: Bool) {
        self.upstream = upstream
        self.needsOne = needsOne
    }

    override func run(_ sink: Sink<Element>) { upstream.run(OnlySink(needsOne, into: sink)) }
}

private final class OnlySink<Element>: SingleInputSink<Element, Element> {
    private let needsOne: Bool
    private var found: Element?

    init(_ needsOne: Bool, into downstream: Sink<Element>) {
        self.needsOne = needsOne
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        if found == nil { found = value } else { fail(RxError.moreThanOneElement) }
    }

    override func completed() {
        if let found {
            forward(found)
        } else if needsOne {
            return fail(RxError.noElements)
        }
        finish()
    }
}
