extension ObservableType {
    /// The first elements, then it completes. `take(0)` completes without subscribing; a negative count traps.
    public func take(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "take needs a count that is not negative.")
        return count == 0 ? .empty() : Observable(Take(asObservable().source, count))
    }

    /// The elements as long as the predicate holds; at the first other one it completes.
    @preconcurrency
    public func take(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        take(while: predicate, behavior: .exclusive)
    }

    /// The elements as long as the predicate holds; `.inclusive` also gives the first other one.
    @preconcurrency
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        Observable(TakeWhile(asObservable().source, predicate, behavior))
    }

    /// The elements up to one for which the predicate holds; `.inclusive` also gives that one.
    @preconcurrency
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        take(while: { !(try predicate($0)) }, behavior: behavior)
    }

    /// The last elements, sent when the stream completed. A count of 0 gives none; a negative one traps.
    public func takeLast(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "takeLast needs a count that is not negative.")
        return Observable(TakeLast(asObservable().source, count))
    }
}

/// Whether the element that decides is still sent.
public enum TakeBehavior: Sendable {
    /// It is sent.
    case inclusive
    /// It is not.
    case exclusive
}

private final class Take<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let count: Int

    init(_ upstream: Source<Element>, _ count: Int) {
        self.upstream = upstream
        self.count = count
    }

    override func run(_ sink: Sink<Element>) { upstream.run(TakeSink(count, into: sink)) }
}

private final class TakeSink<Element>: SingleInputSink<Element, Element> {
    private var left: Int

    init(_ count: Int, into downstream: Sink<Element>) {
        left = count
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        guard left > 0 else { return }
        left -= 1
        forward(value)
        if left == 0 { finish() }
    }
}

private final class TakeWhile<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let predicate: @Sendable (Element) throws -> Bool
    private let behavior: TakeBehavior

    init(
        _ upstream: Source<Element>, _ predicate: @escaping @Sendable (Element) throws -> Bool,
        _ behavior: TakeBehavior
    ) {
        self.upstream = upstream
        self.predicate = predicate
        self.behavior = behavior
    }

    override func run(_ sink: Sink<Element>) { upstream.run(TakeWhileSink(predicate, behavior, into: sink)) }
}

private final class TakeWhileSink<Element>: SingleInputSink<Element, Element> {
    private let predicate: @Sendable (Element) throws -> Bool
    private let behavior: TakeBehavior
    private var holds = true

    init(
        _ predicate: @escaping @Sendable (Element) throws -> Bool, _ behavior: TakeBehavior,
        into downstream: Sink<Element>
    ) {
        self.predicate = predicate
        self.behavior = behavior
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        guard holds else { return }
        do {
            holds = try predicate(value)
        } catch {
            return fail(error)
        }
        if holds || behavior == .inclusive { forward(value) }
        if !holds { finish() }
    }
}

private final class TakeLast<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let count: Int

    init(_ upstream: Source<Element>, _ count: Int) {
        self.upstream = upstream
        self.count = count
    }

    override func run(_ sink: Sink<Element>) { upstream.run(TakeLastSink(count, into: sink)) }
}

private final class TakeLastSink<Element>: SingleInputSink<Element, Element> {
    private let count: Int
    private var last = FIFOQueue<Element>()

    init(_ count: Int, into downstream: Sink<Element>) {
        self.count = count
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        last.append(value)
        if last.count > count { _ = last.popFirst() }
    }

    override func completed() {
        while let value = last.popFirst() { forward(value) }
        finish()
    }
}
