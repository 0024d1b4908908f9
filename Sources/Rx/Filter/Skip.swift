extension ObservableType {
    /// The elements after the first `count`; a count of 0 or less skips none.
    public func skip(_ count: Int) -> Observable<Element> { Observable(Skip(asObservable().source, count)) }

    /// The elements from the first one on for which the predicate does not hold.
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        Observable(SkipWhile(asObservable().source, predicate))
    }
}

private final class Skip<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let count: Int

    init(_ upstream: Source<Element>, _ count: Int) {
        self.upstream = upstream
        self.count = count
    }

    override func run(_ sink: Sink<Element>) { upstream.run(SkipSink(count, into: sink)) }
}

private final class SkipSink<Element>: SingleInputSink<Element, Element> {
    private var left: Int

    init(_ count: Int, into downstream: Sink<Element>) {
        left = count
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        if left <= 0 { forward(value) } else { left -= 1 }
    }
}

private final class SkipWhile<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let predicate: @Sendable (Element) throws -> Bool

    init(_ upstream: Source<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
        self.upstream = upstream
        self.predicate = predicate
    }

    override func run(_ sink: Sink<Element>) { upstream.run(SkipWhileSink(predicate, into: sink)) }
}

private final class SkipWhileSink<Element>: SingleInputSink<Element, Element> {
    private let predicate: @Sendable (Element) throws -> Bool
    private var skipping = true

    init(_ predicate: @escaping @Sendable (Element) throws -> Bool, into downstream: Sink<Element>) {
        self.predicate = predicate
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        if skipping {
            do {
                skipping = try predicate(value)
            } catch {
                return fail(error)
            }
        }
        if !skipping { forward(value) }
    }
}
