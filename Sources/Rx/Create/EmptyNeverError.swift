extension ObservableType {
    /// A stream that completes at subscription.
    public static func empty() -> Observable<Element> { Observable(Empty()) }

    /// A stream that never says anything.
    public static func never() -> Observable<Element> { Observable(Never_()) }

    /// A stream that fails at subscription.
    public static func error(_ error: any Error) -> Observable<Element> { Observable(Failure(error)) }

    /// A stream of the element if there is one; then it completes.
    public static func from(optional: Element?) -> Observable<Element> {
        if let optional { just(optional) } else { empty() }
    }

    /// A stream of the element if there is one; then it completes. Both are turns of the scheduler.
    public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        from(optional.map { [$0] } ?? [], scheduler: scheduler)
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
