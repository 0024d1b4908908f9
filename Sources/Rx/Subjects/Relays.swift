/// A `PublishSubject` that cannot end: subscribers get what comes after they subscribed.
public final class PublishRelay<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of the subject.
    private let subject = PublishSubject<Element>()

    /// A relay without subscribers.
    public init() {}

    /// Sends the element to all subscribers.
    public func accept(_ event: Element) { subject.onNext(event) }

    /// Sends what comes to the observer; it never ends.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// The stream of what is accepted.
    public func asObservable() -> Observable<Element> { Observable(subject.source) }
}

/// A `BehaviorSubject` that cannot end: subscribers get the current value first, then what comes.
public final class BehaviorRelay<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of the core.
    private let core: BehaviorCore<Element>

    /// A relay whose current value is the one given.
    public init(value: Element) { core = BehaviorCore(value) }

    /// The current value.
    public var value: Element { core.current }

    /// Changes the value and sends it to all subscribers.
    public func accept(_ event: Element) { core.next(event) }

    /// Sends the current value and what comes to the observer; it never ends.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }

    /// The stream of the value.
    public func asObservable() -> Observable<Element> { Observable(core) }
}
