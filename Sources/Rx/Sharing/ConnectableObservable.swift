/// A stream that `connect` starts once, for all its subscribers.
public protocol ConnectableObservableType: ObservableType {
    /// Starts the stream. Dispose of the result to stop it.
    func connect() -> any Disposable
}

/// A stream that `connect` starts once, for all its subscribers.
public class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: the lock of `core` guards all state.
    private let core: ConnectableSource<Element>

    init(_ core: ConnectableSource<Element>) {
        self.core = core
        super.init(core)
    }

    /// Starts the stream. Dispose of the result to stop it.
    ///
    /// While the stream runs, further calls return the same connection.
    public func connect() -> any Disposable { SubscriptionHandle(core.start()) }

    /// Returns a stream that connects for its first subscriber and disconnects after its last.
    ///
    /// A later subscriber connects again.
    public func refCount() -> Observable<Element> { Observable(RefCount(core)) }
}

extension ObservableType {
    /// Shares the stream through a `PublishSubject`. `connect` starts the stream.
    public func publish() -> ConnectableObservable<Element> { multicast { PublishSubject() } }

    /// Shares the stream through a `ReplaySubject` of the given size. `connect` starts the stream.
    ///
    /// A negative size traps.
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        multicast { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// Shares the stream through a `ReplaySubject` that stores all elements. `connect` starts the stream.
    public func replayAll() -> ConnectableObservable<Element> { multicast { ReplaySubject.createUnbounded() } }

    /// Shares the stream through the given subject. `connect` starts the stream.
    public func multicast<Subject: SubjectType>(_ subject: Subject) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        ConnectableObservable(Multicast(asObservable().source) { SubjectEnds(subject) })
    }

    /// Shares the stream through a new subject for each connection. `connect` starts the stream.
    @preconcurrency
    public func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
        ConnectableObservable(Multicast(asObservable().source) { SubjectEnds(makeSubject()) })
    }
}
