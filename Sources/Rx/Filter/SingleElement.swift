extension ObservableType {
    /// The first element, or nil for an empty stream.
    public func first() -> Single<Element?> {
        Single(raw: Observable(First(asObservable().source)))
    }

    /// The only element; none fails with `RxError.noElements`, a second one with `RxError.moreThanOneElement`.
    public func single() -> Observable<Element> { single { _ in true } }

    /// The only element for which the predicate holds; the errors are those of `single()`.
    @preconcurrency
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        Observable(OnlyOne(asObservable().source, predicate))
    }

    /// The element of that index, the first being 0; a shorter stream fails with `RxError.argumentOutOfRange`.
    ///
    /// A negative index traps.
    public func element(at index: Int) -> Observable<Element> {
        precondition(index >= 0, "element(at:) needs an index that is not negative.")
        return Observable(ElementAt(asObservable().source, index))
    }
}

private final class First<Element>: Source<Element?> {
    private let upstream: Source<Element>
    init(_ upstream: Source<Element>) { self.upstream = upstream }
    override func run(_ sink: Sink<Element?>) { upstream.run(FirstSink(into: sink)) }
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

private final class OnlyOne<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let predicate: @Sendable (Element) throws -> Bool

    init(_ upstream: Source<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
        self.upstream = upstream
        self.predicate = predicate
    }

    override func run(_ sink: Sink<Element>) { upstream.run(OnlyOneSink(predicate, into: sink)) }
}

private final class OnlyOneSink<Element>: SingleInputSink<Element, Element> {
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

private final class ElementAt<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let index: Int

    init(_ upstream: Source<Element>, _ index: Int) {
        self.upstream = upstream
        self.index = index
    }

    override func run(_ sink: Sink<Element>) { upstream.run(ElementAtSink(index, into: sink)) }
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
