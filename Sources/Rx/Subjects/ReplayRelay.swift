/// A `ReplaySubject` that cannot end: subscribers get the past first, then what comes.
public final class ReplayRelay<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of the subject.
    private let subject: ReplaySubject<Element>

    private init(_ subject: ReplaySubject<Element>) { self.subject = subject }

    /// A relay that remembers that many elements; a negative number traps.
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(.create(bufferSize: bufferSize))
    }

    /// A relay that remembers everything.
    public static func createUnbound() -> ReplayRelay<Element> { ReplayRelay(.createUnbounded()) }

    /// Sends the element to all subscribers and remembers it.
    public func accept(_ event: Element) { subject.onNext(event) }

    /// Sends the past and what comes to the observer; it never ends.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// The stream of what is remembered and accepted.
    public func asObservable() -> Observable<Element> { Observable(subject.source) }
}
