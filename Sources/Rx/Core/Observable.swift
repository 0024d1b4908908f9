/// Another name of `Observable`, for code that also imports a different type named `Observable`.
public typealias RxObservable<Element> = Observable<Element>

/// A value that can be converted to an `Observable`.
///
/// Streams may be passed between threads, so that a closure of an operator can use `self`.
public protocol ObservableConvertibleType<Element>: Sendable {
    /// The type of the stream's elements.
    associatedtype Element
    /// Returns the value as a stream.
    func asObservable() -> Observable<Element>
}

/// A stream that can be subscribed to.
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Sends the events of the stream to the observer until the stream ends or the result is disposed of.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    /// Returns an `Observable` that subscribes to this stream.
    ///
    /// This default implementation is for stream types other than `Observable`.
    public func asObservable() -> Observable<Element> { Observable(ExternalSource(self)) }
}

/// A stream of elements over time.
///
/// Unless documented otherwise, an observable is cold: each subscription starts it again. You may pass an observable
/// between threads. All subscribers then share the elements: if these are not `Sendable`, use the stream on one queue
/// only.
public class Observable<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: an observable never changes, and its closures are @Sendable. The state of a
    // subscription is in its sinks, guarded by `SerialDrain` and the atomic flags of `SubscriptionNode`.

    // The conformance has no condition `Element: Sendable`. With this condition, Swift 6.3 cannot infer
    // `Observable.merge(a, b)`.

    private let storedSource: Source<Element>?

    /// The source of the stream, which starts it for each subscriber.
    final var source: Source<Element> { storedSource ?? makeSource() }

    @usableFromInline
    init(_ source: Source<Element>) {
        storedSource = source
        Resources.objectCreated()
    }

    /// Creates a stream of a subclass that overrides `makeSource`.
    init(sourceOnDemand: Void) {
        storedSource = nil
        Resources.objectCreated()
    }

    /// Returns a source for a stream that stores none.
    func makeSource() -> Source<Element> { Source() }

    /// Sends the only element of a stream such as `just` to the sink, without a subscription.
    ///
    /// Other streams send nothing and return false. Operators such as `flatMap` call this method to save a sink for
    /// each inner stream.
    func emitOnlyElement(to sink: Sink<Element>) -> Bool { false }

    deinit { Resources.objectDestroyed() }

    /// Sends the events of the stream to the observer until the stream ends or the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(with: ObserverSink(observer))
    }

    @usableFromInline
    final func subscribe(with sink: SubscriberSink<Element>) -> any Disposable {
        source.connect(sink)
        return SubscriptionHandle(sink.subscription)
    }

    /// Returns the stream itself.
    public func asObservable() -> Observable<Element> { self }
}
