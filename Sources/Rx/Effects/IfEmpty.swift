extension ObservableType {
    /// The stream, or the one element if it completes without any.
    public func ifEmpty(default: Element) -> Observable<Element> {
        Observable(DefaultIfEmpty(asObservable().source, `default`))
    }

    /// The stream, or the other one if it completes without an element.
    public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
        Observable(IfEmpty(asObservable().source, other.source))
    }
}

private final class DefaultIfEmpty<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let element: Element

    init(_ upstream: Source<Element>, _ element: Element) {
        self.upstream = upstream
        self.element = element
    }

    override func run(_ downstream: Sink<Element>) { upstream.run(DefaultIfEmptySink(element, into: downstream)) }
}

private final class DefaultIfEmptySink<Element>: SingleInputSink<Element, Element> {
    private let element: Element
    private var isEmpty = true

    init(_ element: Element, into downstream: Sink<Element>) {
        self.element = element
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        isEmpty = false
        forward(value)
    }

    override func completed() {
        if isEmpty { forward(element) }
        finish()
    }
}

private final class IfEmpty<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let other: Source<Element>

    init(_ upstream: Source<Element>, _ other: Source<Element>) {
        self.upstream = upstream
        self.other = other
    }

    override func run(_ downstream: Sink<Element>) { IfEmptySink(upstream, other, into: downstream).begin() }
}

private final class IfEmptySink<Element>: SequentialSink<Element> {
    private var first: Source<Element>?
    private var other: Source<Element>?

    init(_ first: Source<Element>, _ other: Source<Element>, into downstream: Sink<Element>) {
        self.first = first
        self.other = other
        super.init(into: downstream)
    }

    override func nextSource() -> Source<Element>? { first.take() ?? other.take() }
    override func willForward() { other = nil }
    override func inputCompleted() { if other == nil { finish() } else { subscribeToNext() } }
}
