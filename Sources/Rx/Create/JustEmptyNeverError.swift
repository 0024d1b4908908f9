extension ObservableType {
    /// A stream of one element, which it sends at subscription, then completion.
    @inlinable
    public static func just(_ element: Element) -> Observable<Element> { Observable(Just(element)) }

    /// A stream of one element, which it sends on the scheduler, then completion.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        from([element], scheduler: scheduler)
    }

    /// A stream that completes at subscription.
    public static func empty() -> Observable<Element> { Observable(Empty()) }

    /// A stream that never sends an event.
    public static func never() -> Observable<Element> { Observable(Never_()) }

    /// A stream that fails at subscription.
    public static func error(_ error: any Error) -> Observable<Element> { Observable(Failure(error)) }

    /// A stream of the element if it is not nil, then completion.
    public static func from(optional: Element?) -> Observable<Element> {
        if let optional { just(optional) } else { empty() }
    }

    /// A stream of the element if it is not nil, then completion. Both are scheduled separately.
    public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        from(optional.map { [$0] } ?? [], scheduler: scheduler)
    }
}

// Usable from inlined code, which knows the type of the element and does not look up its metadata each time.
@usableFromInline
final class Just<Element>: Source<Element> {
    private let element: Element

    @usableFromInline
    init(_ element: Element) { self.element = element }

    override func connect(_ sink: Sink<Element>) { run(sink) }

    override func emitOnlyElement(to sink: Sink<Element>) -> Bool {
        sink.next(element)
        return true
    }

    override func run(_ sink: Sink<Element>) {
        sink.next(element)
        sink.completed()
    }
}

private final class Empty<Element>: Source<Element> {
    override func connect(_ sink: Sink<Element>) { run(sink) }
    override func run(_ sink: Sink<Element>) { sink.completed() }
}

private final class Never_<Element>: Source<Element> {
    override func connect(_ sink: Sink<Element>) {}
}

private final class Failure<Element>: Source<Element> {
    private let error: any Error
    init(_ error: any Error) { self.error = error }
    override func connect(_ sink: Sink<Element>) { run(sink) }
    override func run(_ sink: Sink<Element>) { sink.error(error) }
}
