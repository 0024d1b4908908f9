/// A `PublishSubject` that never ends.
///
/// Elements may be sent from any thread.
public final class PublishRelay<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of `subject` guard all state.
    private let subject = PublishSubject<Element>()

    /// Creates a relay without subscribers.
    public init() {}

    /// Sends the element to all subscribers.
    public func accept(_ event: Element) { subject.onNext(event) }

    /// Sends later elements to the observer until the result is disposed of. The stream never ends.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// Returns the stream of the accepted elements.
    public func asObservable() -> Observable<Element> { Observable(subject.source) }
}

/// A `BehaviorSubject` that never ends.
///
/// Subscribers receive the current value first, then later values. Elements may be sent from any thread.
public final class BehaviorRelay<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of `core` guard all state.
    private let core: BehaviorCore<Element>

    /// Creates a relay with the given current value.
    public init(value: Element) { core = BehaviorCore(value) }

    /// The current value.
    public var value: Element { core.current }

    /// Changes the current value and sends it to all subscribers.
    public func accept(_ event: Element) { core.next(event) }

    /// Sends the current value and later values to the observer until the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }

    /// Returns the stream of the current value and later values.
    public func asObservable() -> Observable<Element> { Observable(core) }
}

/// A `ReplaySubject` that never ends: subscribers receive the stored elements, then later elements.
///
/// Elements may be sent from any thread.
public final class ReplayRelay<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of `subject` guard all state.
    private let subject: ReplaySubject<Element>

    private init(_ subject: ReplaySubject<Element>) { self.subject = subject }

    /// Creates a relay that stores at most `bufferSize` elements. A negative number traps.
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(.create(bufferSize: bufferSize))
    }

    /// Creates a relay that stores all elements.
    public static func createUnbound() -> ReplayRelay<Element> { ReplayRelay(.createUnbounded()) }

    /// Sends the element to all subscribers and stores it.
    public func accept(_ event: Element) { subject.onNext(event) }

    /// Sends the stored elements and later elements to the observer until the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// Returns the stream of the stored elements and later elements.
    public func asObservable() -> Observable<Element> { Observable(subject.source) }
}
