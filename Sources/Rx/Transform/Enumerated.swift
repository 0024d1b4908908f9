extension ObservableType {
    /// Each element with its number, the first being 0.
    public func enumerated() -> Observable<(index: Int, element: Element)> {
        Observable<(index: Int, element: Element)>(Enumerated(asObservable().source))
    }
}

private final class Enumerated<Element>: Source<(index: Int, element: Element)> {
    private let upstream: Source<Element>
    init(_ upstream: Source<Element>) { self.upstream = upstream }
    override func run(_ sink: Sink<(index: Int, element: Element)>) { upstream.run(EnumeratedSink(into: sink)) }
}

private final class EnumeratedSink<Element>: SingleInputSink<Element, (index: Int, element: Element)> {
    private var index = 0

    override func next(_ value: Element) {
        // Counted before it is sent, so that an element that comes from inside the observer gets the next number.
        let number = index
        index += 1
        forward((number, value))
    }
}
