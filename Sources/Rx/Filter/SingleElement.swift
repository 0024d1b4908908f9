extension ObservableType {
    /// Emits the first element, or nil for an empty stream.
    public func first() -> Single<Element?> {
        Single(raw: lift { FirstSink(into: $0) })
    }

    /// Emits the only element of the stream.
    ///
    /// The result fails with `RxError.noElements` for an empty stream, and with `RxError.moreThanOneElement` at a
    /// second element.
    public func single() -> Observable<Element> { single { _ in true } }

    /// Emits the only element for which the predicate is true.
    ///
    /// The result fails as that of `single()` does, and with the error of the predicate if it throws.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        lift { OnlyElementSink(predicate, into: $0) }
    }

    /// Emits the element at the index, counted from 0, then completes.
    ///
    /// The result fails with `RxError.argumentOutOfRange` if the stream is shorter. A negative index traps.
    public func element(at index: Int) -> Observable<Element> {
        precondition(index >= 0, "element(at:): the index must not be negative.")
        return lift { ElementAtSink(index, into: $0) }
    }
}

private final class FirstSink<Element>: SingleInputSink<Element, Element?> {
    override func next(_ value: Element) {
        forward(value)
        finish()
    }

    override func completed() {
        forward(nil)
        finish()
    }
}

private final class OnlyElementSink<Element>: SingleInputSink<Element, Element> {
    private let predicate: @Sendable (Element) throws -> Bool
    private var found = false

    init(_ predicate: @escaping @Sendable (Element) throws -> Bool, into downstream: Sink<Element>) {
        self.predicate = predicate
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        do {
            guard try predicate(value) else { return }
        } catch {
            return fail(error)
        }
        if found { return fail(RxError.moreThanOneElement) }
        found = true
        forward(value)
    }

    override func completed() {
        if found { finish() } else { fail(RxError.noElements) }
    }
}

private final class ElementAtSink<Element>: SingleInputSink<Element, Element> {
    private var left: Int

    init(_ index: Int, into downstream: Sink<Element>) {
        left = index
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        left -= 1
        guard left == -1 else { return }
        forward(value)
        finish()
    }

    override func completed() { fail(RxError.argumentOutOfRange) }
}
