/// A stream that is started by `connect`, for all its subscribers.
public protocol ConnectableObservableType: ObservableType {
    /// Starts the stream. Dispose of the result to stop it.
    func connect() -> any Disposable
}

/// A stream that is started by `connect`, for all its subscribers.
public class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the lock of the core.
    private let core: ConnectableSource<Element>

    init(_ core: ConnectableSource<Element>) {
        self.core = core
        super.init(core)
    }

    /// Starts the stream. Dispose of the result to stop it.
    ///
    /// While it runs, further calls return the same connection.
    public func connect() -> any Disposable { SubscriptionHandle(core.start()) }

    /// The stream, started for the first subscriber and stopped after the last.
    ///
    /// A later subscriber starts it again.
    public func refCount() -> Observable<Element> { Observable(RefCount(core)) }
}

extension ObservableType {
    /// The stream, shared through a `PublishSubject` and started by `connect`.
    public func publish() -> ConnectableObservable<Element> { multicast { PublishSubject() } }

    /// The stream, shared through a `ReplaySubject` of that size and started by `connect`.
    ///
    /// A negative size traps.
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        multicast { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// The stream, shared through a `ReplaySubject` that stores all elements, started by `connect`.
    public func replayAll() -> ConnectableObservable<Element> { multicast { ReplaySubject.createUnbounded() } }

    /// The stream, shared through the subject and started by `connect`.
    public func multicast<Subject: SubjectType>(_ subject: Subject) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        ConnectableObservable(Multicast(asObservable().source) { SubjectEnds(subject) })
    }

    /// The stream, shared through a new subject for each connection and started by `connect`.
    @preconcurrency
    public func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
        ConnectableObservable(Multicast(asObservable().source) { SubjectEnds(makeSubject()) })
    }
}
