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

    /// Returns the observer with its concrete type hidden.
    public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

    /// Returns an observer that transforms its elements and sends them to this observer.
    ///
    /// If the transform throws, this observer receives an error.
    @preconcurrency
    public func mapObserver<Result>(_ transform: @escaping @Sendable (Result) throws -> Element) -> AnyObserver<Result>
    {
        let target = UncheckedTransfer(asObserver())
        return AnyObserver<Result> { event in target.value.on(event.map(transform)) }
    }
}

/// An observer with its concrete type hidden, for example the argument of a `create` closure.
///
/// An observer from `Observable.create` may be stored and called from any thread: it delivers one event at a time and
/// ignores events after the end.
public struct AnyObserver<Element>: ObserverType {
    /// A closure that receives the events of an observer.
    public typealias EventHandler = @Sendable (Event<Element>) -> Void

    private let target: Sink<Element>

    init(_ target: Sink<Element>) { self.target = target }

    /// Creates an observer that passes each event to the closure.
    @preconcurrency
    public init(eventHandler: @escaping EventHandler) {
        target = HandlerSink(eventHandler)
    }

    /// Creates an observer that forwards each event to the given observer.
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

// Guard for `@unchecked`: `create` passes a sink with a `SerialDrain`, and a handler closure is `@Sendable`.
// There is no condition for `Element`, as for `Observable`, so that an operator of a program needs none.
extension AnyObserver: @unchecked Sendable {}

/// A sink that forwards every event to an observer, even after the end of a stream.
///
/// The sink does not record an end, because one observer may receive several streams.
private final class ErasedSink<Observer: ObserverType>: Sink<Observer.Element> {
    private let observer: Observer
    init(_ observer: Observer) { self.observer = observer }
    override func next(_ value: Observer.Element) { observer.on(.next(value)) }
    override func error(_ error: any Error) { observer.on(.error(error)) }
    override func completed() { observer.on(.completed) }
}

/// A sink that passes every event to one closure, even after the end of a stream.
final class HandlerSink<Element>: Sink<Element> {
    private let handler: @Sendable (Event<Element>) -> Void
    init(_ handler: @escaping @Sendable (Event<Element>) -> Void) { self.handler = handler }
    override func next(_ value: Element) { handler(.next(value)) }
    override func error(_ error: any Error) { handler(.error(error)) }
    override func completed() { handler(.completed) }
}
