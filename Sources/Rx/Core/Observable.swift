/// A stream of elements over time. It is cold unless its maker says otherwise: each subscription starts it anew.
public class Observable<Element>: ObservableType {
    let source: Source<Element>

    init(_ source: Source<Element>) {
        self.source = source
        Resources.entered()
    }

    deinit { Resources.left() }

    /// Sends the events of the stream to the observer until it ends or the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let sink = ObserverSink(observer)
        source.connect(sink)
        return Handle(sink)
    }

    /// The stream itself.
    public func asObservable() -> Observable<Element> { self }
}

// Guard: an observable never changes after it was made, and the closures in it are @Sendable. What a subscription
// changes lives in its sinks, which `Gate` and the atomic flags of `Stage` guard.
extension Observable: @unchecked Sendable where Element: Sendable {}
