/// A stream that cannot fail: it sends elements and may complete.
///
/// It is cold unless its maker says otherwise, as an `Observable` is.
public struct Infallible<Element>: InfallibleType, Sendable {
    private let stream: Observable<Element>

    /// Takes the stream at its word.
    init(_ stream: Observable<Element>) { self.stream = stream }

    /// The stream without the promise.
    public func asObservable() -> Observable<Element> { stream }
}

/// A stream that cannot fail.
public protocol InfallibleType<Element>: ObservableConvertibleType {}

/// What an `Infallible` says.
@frozen
public enum InfallibleEvent<Element> {
    /// The stream goes on with this element.
    case next(Element)
    /// The stream ended; nothing follows.
    case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleEvent: EventConvertible {
    /// The same as an event of an `Observable`.
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}

extension InfallibleType {
    /// The same stream.
    public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }

    /// Hands each event of the stream to the closure.
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void)
        -> any Disposable
    {
        subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
    }

    /// As `subscribe(_:)`, for a closure that takes the events of an `Observable`; it never hears an error.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        asObservable().subscribe(on)
    }

    /// Hands elements and the end of the stream to the closures that are given.
    ///
    /// `onDisposed` is called once, after the end or after disposal.
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// As `subscribe(onNext:…)`, with an object held weakly and given to each closure while it lives.
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object, onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(
            with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Sends the events of the stream to the observer until it ends or the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }
}
