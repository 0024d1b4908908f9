/// A stream that starts when it is told to, for all that are subscribed then.
public protocol ConnectableObservableType: ObservableType {
    /// Starts it; dispose of the result to stop.
    func connect() -> any Disposable
}

/// A stream that starts when it is told to.
public class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the lock of the core.
    private let core: ConnectableSource<Element>

    init(_ core: ConnectableSource<Element>) {
        self.core = core
        super.init(core)
    }

    /// Starts it; dispose of the result to stop. While it runs, the same run is given.
    public func connect() -> any Disposable { SubscriptionHandle(core.start()) }

    /// The stream, started for the first subscriber and stopped with the last.
    public func refCount() -> Observable<Element> { Observable(RefCount(core)) }
}

extension ObservableType {
    /// The stream through a `PublishSubject`, started by `connect`.
    public func publish() -> ConnectableObservable<Element> { multicast { PublishSubject() } }

    /// The stream through a `ReplaySubject` of that size, started by `connect`. A negative size traps.
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        multicast { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// The stream through a `ReplaySubject` that remembers everything, started by `connect`.
    public func replayAll() -> ConnectableObservable<Element> { multicast { ReplaySubject.createUnbounded() } }

    /// The stream through the subject, started by `connect`.
    public func multicast<Subject: SubjectType>(_ subject: Subject) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        ConnectableObservable(Multicast(asObservable().source) { SubjectEnds(subject) })
    }

    /// The stream through a new subject for each run, started by `connect`.
    @preconcurrency
    public func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
        ConnectableObservable(Multicast(asObservable().source) { SubjectEnds(makeSubject()) })
    }
}
