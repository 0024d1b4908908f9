extension ObservableType {
    /// Creates a stream that sends the element at subscription, then completes.
    @inlinable
    public static func just(_ element: Element) -> Observable<Element> { JustObservable(element) }

    /// Creates a stream that sends the element on the scheduler, then completes.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        from([element], scheduler: scheduler)
    }

    /// Creates a stream that completes at subscription.
    public static func empty() -> Observable<Element> { Observable(Empty()) }

    /// Creates a stream that never sends an event.
    public static func never() -> Observable<Element> { Observable(Never_()) }

    /// Creates a stream that fails at subscription.
    public static func error(_ error: any Error) -> Observable<Element> { Observable(ErrorSource(error)) }

    /// Creates a stream that sends the element unless it is nil, then completes.
    public static func from(optional: Element?) -> Observable<Element> {
        if let optional { just(optional) } else { empty() }
    }

    /// Unavailable. Write `from(optional:)`.
    @_disfavoredOverload
    @available(*, unavailable, renamed: "from(optional:)", message: "Write Observable.from(optional: value).")
    public static func from(_ optional: Element?) -> Observable<Element> { from(optional: optional) }

    /// Creates a stream that sends the element unless it is nil, then completes.
    ///
    /// The element and the completion are scheduled separately.
    public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        from(optional.map { [$0] } ?? [], scheduler: scheduler)
    }
}

// `@usableFromInline`, because the inlined `just` knows the type of the element and needs no metadata lookup.

/// The stream of `just`. It creates its source at a subscription, because `flatMap` needs only the element.
///
/// Guard for `@unchecked`: the class adds no mutable state to the superclass.
@usableFromInline
final class JustObservable<Element>: Observable<Element>, @unchecked Sendable {
    private let element: Element

    @usableFromInline
    init(_ element: Element) {
        self.element = element
        super.init(sourceOnDemand: ())
    }

    override func makeSource() -> Source<Element> { Just(element) }

    override func emitOnlyElement(to sink: Sink<Element>) -> Bool {
        sink.next(element)
        return true
    }
}

private final class Just<Element>: Source<Element> {
    private let element: Element
    init(_ element: Element) { self.element = element }

    override func connect(_ sink: Sink<Element>) { run(sink) }

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

private final class ErrorSource<Element>: Source<Element> {
    private let error: any Error
    init(_ error: any Error) { self.error = error }
    override func connect(_ sink: Sink<Element>) { run(sink) }
    override func run(_ sink: Sink<Element>) { sink.error(error) }
}
