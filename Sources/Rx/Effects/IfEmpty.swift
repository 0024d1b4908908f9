extension ObservableType {
    /// Emits the elements of the stream, or the given element if the stream completes without any.
    ///
    /// An error of the stream is forwarded.
    public func ifEmpty(default: Element) -> Observable<Element> {
        lift { IfEmptyDefaultSink(`default`, into: $0) }
    }

    /// Emits the elements of the stream, or of the other stream if the stream completes without elements.
    ///
    /// The other stream is subscribed to only if this stream completes without elements. An error of this stream is
    /// forwarded.
    public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
        let upstream = asObservable().source
        return Observable(MultiInputSource { IfEmptySwitchSink(upstream, other.source, into: $0).begin() })
    }
}

private final class IfEmptyDefaultSink<Element>: SingleInputSink<Element, Element> {
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

private final class IfEmptySwitchSink<Element>: SequentialSink<Element> {
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
