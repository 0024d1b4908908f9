extension ObservableType {
    /// A stream of one element, sent at subscription.
    @inlinable
    public static func just(_ element: Element) -> Observable<Element> { Observable(Just(element)) }

    /// A stream of one element, sent on the scheduler.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        from([element], scheduler: scheduler)
    }
}

// Usable where `just` is inlined: there the type of the element is known, and its metadata is not looked up each time.
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
