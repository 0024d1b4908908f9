/// The same as `Observable`, for code that also imports another type of that name.
public typealias RxObservable<Element> = Observable<Element>

/// A stream of elements over time. It is cold unless its maker says otherwise: each subscription starts it anew.
///
/// An observable may be passed between threads. Elements that are not `Sendable` are then shared by whoever subscribes;
/// keep such a stream on one queue.
public class Observable<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: an observable never changes after it was made, and the closures in it are @Sendable. What
    // a subscription changes lives in its sinks, guarded by `SerialDrain` and the atomic flags of `SubscriptionNode`.
    //
    // The conformance has no condition on the element: with one, Swift 6.3 cannot infer `Observable.merge(a, b)`.

    let source: Source<Element>

    @usableFromInline
    init(_ source: Source<Element>) {
        self.source = source
        Resources.objectCreated()
    }

    deinit { Resources.objectDestroyed() }

    /// Sends the events of the stream to the observer until it ends or the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let sink = ObserverSink(observer)
        source.connect(sink)
        return SubscriptionHandle(sink.subscription)
    }

    /// The stream itself.
    public func asObservable() -> Observable<Element> { self }
}
