/// A stream that cannot fail: it sends elements and may complete.
///
/// Unless documented otherwise, an `Infallible` is cold, as an `Observable` is.
public struct Infallible<Element>: InfallibleType, Sendable {
    private let stream: Observable<Element>

    /// Wraps a stream that never fails.
    init(_ stream: Observable<Element>) { self.stream = stream }

    /// Returns the stream as an `Observable`.
    public func asObservable() -> Observable<Element> { stream }
}

/// A stream that cannot fail.
public protocol InfallibleType<Element>: ObservableConvertibleType {}

/// An event of an `Infallible`: an element, or the end.
@frozen
public enum InfallibleEvent<Element> {
    /// An element of the stream.
    case next(Element)
    /// The stream completed. No event follows.
    case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleEvent: EventConvertible {
    /// The event in the form in which an `Observable` sends it.
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}

extension InfallibleType {
    /// Returns the stream as an `Infallible`.
    public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }

    /// Subscribes and calls the closure for each event.
    ///
    /// Dispose of the result to unsubscribe.
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void)
        -> any Disposable
    {
        subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
    }

    /// As `subscribe(_:)`, for a closure that takes events of an `Observable`.
    ///
    /// The closure is never called with an error.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        asObservable().subscribe(on)
    }

    /// Subscribes and calls the given closures for elements and the end of the stream.
    ///
    /// `onDisposed` is called once, after the end or after disposal. Dispose of the result to unsubscribe.
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// As `subscribe(onNext:…)`; each closure also receives an object, which is held weakly.
    ///
    /// After the object is released, no closure is called.
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object, onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(
            with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Sends the events of the stream to the observer until the stream ends or the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }
}

extension ObservableConvertibleType {
    /// Forwards the stream. Instead of an error, sends the given element and completes.
    public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(asObservable().catchAndReturn(element))
    }

    /// Forwards the stream and, after an error, the other stream.
    public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().catch { _ in infallible.asObservable() })
    }

    /// Forwards the stream and, after an error, the stream that the closure returns for the error.
    @preconcurrency
    public func asInfallible(
        onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(asObservable().catch { onErrorRecover($0).asObservable() })
    }
}

extension PublishRelay {
    /// Returns the stream of the accepted elements, which cannot fail.
    public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }
}

extension BehaviorRelay {
    /// Returns the stream of the current value and later values, which cannot fail.
    public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }
}

extension ReplayRelay {
    /// Returns the stream of the stored elements and later elements, which cannot fail.
    public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }
}
