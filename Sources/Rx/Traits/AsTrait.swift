extension ObservableType {
    /// Converts the stream to a `Single`.
    ///
    /// The result fails with `RxError.noElements` or `.moreThanOneElement` if the stream does not have exactly one
    /// element.
    public func asSingle() -> Single<Element> {
        Single(raw: lift { AtMostOneSink(needsOne: true, into: $0) })
    }

    /// Converts the stream to a `Maybe`.
    ///
    /// The result fails with `RxError.moreThanOneElement` if the stream has more than one element.
    public func asMaybe() -> Maybe<Element> {
        Maybe(raw: lift { AtMostOneSink(needsOne: false, into: $0) })
    }
}

extension ObservableType where Element == Never {
    /// Converts the stream to a `Completable`.
    public func asCompletable() -> Completable { Completable(raw: asObservable()) }
}

/// A sink that sends the only element when the stream completes.
private final class AtMostOneSink<Element>: SingleInputSink<Element, Element> {
    private let needsOne: Bool
    private var found: Element?

    init(needsOne: Bool, into downstream: Sink<Element>) {
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
