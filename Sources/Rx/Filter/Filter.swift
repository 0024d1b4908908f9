extension ObservableType {
    /// The elements for which the predicate holds. A throwing predicate is an error of the stream.
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        Observable(Filter(asObservable().source, predicate))
    }

    /// Only the end of the stream.
    public func ignoreElements() -> Observable<Never> { Observable(IgnoreElements(asObservable().source)) }
}

private final class Filter<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let predicate: @Sendable (Element) throws -> Bool

    init(_ upstream: Source<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
        self.upstream = upstream
        self.predicate = predicate
    }

    override func run(_ sink: Sink<Element>) { upstream.run(FilterSink(predicate, into: sink)) }
}

private final class FilterSink<Element>: SingleInputSink<Element, Element> {
    private let predicate: @Sendable (Element) throws -> Bool

    init(_ predicate: @escaping @Sendable (Element) throws -> Bool, into downstream: Sink<Element>) {
        self.predicate = predicate
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        do {
            if try predicate(value) { forward(value) }
        } catch {
            fail(error)
        }
    }
}

private final class IgnoreElements<Element>: Source<Never> {
    private let upstream: Source<Element>
    init(_ upstream: Source<Element>) { self.upstream = upstream }
    override func run(_ sink: Sink<Never>) { upstream.run(SingleInputSink<Element, Never>(into: sink)) }
}
