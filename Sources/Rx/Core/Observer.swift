/// A receiver of the events of a stream.
public protocol ObserverType<Element> {
    /// The type of the elements that it receives.
    associatedtype Element
    /// Receives one event.
    func on(_ event: Event<Element>)
}

extension ObserverType {
    /// Sends an element.
    public func onNext(_ element: Element) { on(.next(element)) }

    /// Sends completion.
    public func onCompleted() { on(.completed) }

    /// Sends an error, which ends the stream.
    public func onError(_ error: any Error) { on(.error(error)) }

    /// The same observer with its type hidden.
    public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

    /// An observer of another type that transforms elements and sends them to this one.
    ///
    /// If the transform throws, this observer receives an error.
    @preconcurrency
    public func mapObserver<Result>(_ transform: @escaping @Sendable (Result) throws -> Element) -> AnyObserver<Result>
    {
        let target = UncheckedTransfer(asObserver())
        return AnyObserver<Result> { event in target.value.on(event.map(transform)) }
    }
}

/// An observer with its concrete type hidden. `Observable.create` passes one to its closure.
///
/// The observer that `create` passes may be stored and called from any thread: it delivers one event at a time and
/// ignores events after the end.
public struct AnyObserver<Element>: ObserverType {
    /// The type of the closure that can be wrapped.
    public typealias EventHandler = @Sendable (Event<Element>) -> Void

    private let target: Sink<Element>

    init(_ target: Sink<Element>) { self.target = target }

    /// Creates an observer that passes each event to the closure.
    @preconcurrency
    public init(eventHandler: @escaping EventHandler) {
        target = HandlerSink(eventHandler)
    }

    /// Creates an observer that forwards each event to the given one.
    public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
        target = ErasedSink(observer)
    }

    /// Sends one event.
    public func on(_ event: Event<Element>) { target.on(event) }

    /// Sends an element.
    public func onNext(_ element: Element) { target.next(element) }

    /// Sends an error, which ends the stream.
    public func onError(_ error: any Error) { target.error(error) }

    /// Sends completion.
    public func onCompleted() { target.completed() }

    /// The observer itself.
    public func asObserver() -> AnyObserver<Element> { self }
}

// Guard: `create` passes a sink behind a `SerialDrain`; a handler is @Sendable.
extension AnyObserver: @unchecked Sendable where Element: Sendable {}

/// Forwards every event to an observer.
///
/// It has no state, because one observer may receive several streams.
private final class ErasedSink<Observer: ObserverType>: Sink<Observer.Element> {
    private let observer: Observer
    init(_ observer: Observer) { self.observer = observer }
    override func next(_ value: Observer.Element) { observer.on(.next(value)) }
    override func error(_ error: any Error) { observer.on(.error(error)) }
    override func completed() { observer.on(.completed) }
}

/// Passes every event to one closure. It has no state.
final class HandlerSink<Element>: Sink<Element> {
    private let handler: @Sendable (Event<Element>) -> Void
    init(_ handler: @escaping @Sendable (Event<Element>) -> Void) { self.handler = handler }
    override func next(_ value: Element) { handler(.next(value)) }
    override func error(_ error: any Error) { handler(.error(error)) }
    override func completed() { handler(.completed) }
}
