/// The same as `Observable`, for code that also imports another type of that name.
public typealias RxObservable<Element> = Observable<Element>

/// A value that can be converted to an `Observable`.
public protocol ObservableConvertibleType<Element> {
    /// The type of its elements.
    associatedtype Element
    /// The stream of its elements.
    func asObservable() -> Observable<Element>
}

/// A stream that can be subscribed to.
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Sends the events of the stream to the observer until the stream ends or the result is disposed of.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    /// A stream that subscribes to this one. The default for types that are not an `Observable` themselves.
    public func asObservable() -> Observable<Element> { Observable(ExternalSource(self)) }
}

/// A stream of elements over time.
///
/// Unless documented otherwise it is cold: each subscription starts it again. An observable may be passed between
/// threads. All subscribers then share its elements: if these are not `Sendable`, use the stream on one queue only.
public class Observable<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: an observable never changes, and its closures are @Sendable. The state of a
    // subscription is in its sinks, guarded by `SerialDrain` and the atomic flags of `SubscriptionNode`.

    // The conformance has no condition on the element: with one, Swift 6.3 cannot infer `Observable.merge(a, b)`.

    let source: Source<Element>

    @usableFromInline
    init(_ source: Source<Element>) {
        self.source = source
        Resources.objectCreated()
    }

    deinit { Resources.objectDestroyed() }

    /// Sends the events of the stream to the observer until the stream ends or the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let sink = ObserverSink(observer)
        source.connect(sink)
        return SubscriptionHandle(sink.subscription)
    }

    /// The stream itself.
    public func asObservable() -> Observable<Element> { self }
}
