/// Anything that can be seen as an `Observable`.
public protocol ObservableConvertibleType<Element> {
    /// The type of its elements.
    associatedtype Element
    /// The stream it stands for.
    func asObservable() -> Observable<Element>
}

/// A stream that can be subscribed to.
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Sends the events of the stream to the observer until it ends or the result is disposed of.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    /// A stream that subscribes to this one; types that are not an `Observable` themselves get it for nothing.
    public func asObservable() -> Observable<Element> { Observable(ExternalSource(self)) }
}
