/// An observer of any make. `Observable.create` gives one to its closure.
///
/// It may be kept and called from any thread: calls are delivered one at a time, and what comes after the end is ignored.
public struct AnyObserver<Element>: ObserverType {
    /// The form of the closure it can be made of.
    public typealias EventHandler = @Sendable (Event<Element>) -> Void

    private let target: Sink<Element>

    init(_ target: Sink<Element>) { self.target = target }

    /// An observer that hands each event to the closure.
    @preconcurrency
    public init(eventHandler: @escaping EventHandler) {
        target = HandlerSink(eventHandler)
    }

    /// The same observer with its type hidden.
    public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
        target = ErasedSink(observer)
    }

    /// Takes one event.
    public func on(_ event: Event<Element>) { target.on(event) }

    /// Takes an element.
    public func onNext(_ element: Element) { target.next(element) }

    /// Takes the failure.
    public func onError(_ error: any Error) { target.error(error) }

    /// Takes the good end.
    public func onCompleted() { target.completed() }

    /// The observer itself.
    public func asObserver() -> AnyObserver<Element> { self }
}

// Guard: `create` gives a sink behind a `SerialDrain`; a handler is @Sendable.
extension AnyObserver: @unchecked Sendable where Element: Sendable {}

extension ObserverType {
    /// The same observer with its type hidden.
    public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

    /// An observer of another type that feeds this one. A throwing transform is an error.
    @preconcurrency
    public func mapObserver<Result>(_ transform: @escaping @Sendable (Result) throws -> Element) -> AnyObserver<Result>
    {
        let target = UncheckedTransfer(asObserver())
        return AnyObserver<Result> { event in target.value.on(event.map(transform)) }
    }
}

/// Hands every event to an observer, with no state of its own: an observer may hear several streams.
private final class ErasedSink<Observer: ObserverType>: Sink<Observer.Element> {
    private let observer: Observer
    init(_ observer: Observer) { self.observer = observer }
    override func next(_ value: Observer.Element) { observer.on(.next(value)) }
    override func error(_ error: any Error) { observer.on(.error(error)) }
    override func completed() { observer.on(.completed) }
}

/// Hands every event to one closure, with no state of its own.
final class HandlerSink<Element>: Sink<Element> {
    private let handler: @Sendable (Event<Element>) -> Void
    init(_ handler: @escaping @Sendable (Event<Element>) -> Void) { self.handler = handler }
    override func next(_ value: Element) { handler(.next(value)) }
    override func error(_ error: any Error) { handler(.error(error)) }
    override func completed() { handler(.completed) }
}
