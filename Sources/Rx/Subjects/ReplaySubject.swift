/// A subject that stores its last elements. A subscriber receives these first, then later elements.
///
/// Subscribers after the end receive the stored elements and the end. Events may be sent from any thread: they are
/// delivered one at a time, on the thread of one of the senders.
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Guard for `@unchecked`: the drain and the lock of `core` guard all state.
    /// The type that `asObserver` returns.
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let core: ReplayCore<Element>

    private init(limit: Int) {
        core = ReplayCore(limit: limit)
        super.init(core)
    }

    /// Creates a subject that stores at most `bufferSize` elements. A negative number traps.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        precondition(bufferSize >= 0, "ReplaySubject: the buffer size must not be negative.")
        return ReplaySubject(limit: bufferSize)
    }

    /// Creates a subject that stores all elements.
    public static func createUnbounded() -> ReplaySubject<Element> { ReplaySubject(limit: .max) }

    /// Whether the subject has subscribers.
    public var hasObservers: Bool { core.hasSubscribers }

    /// Whether `dispose` was called.
    public var isDisposed: Bool { core.isDisposed }

    /// Sends an event to all subscribers. Events after the end are ignored.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): core.next(value)
        case .error(let error): core.error(error)
        case .completed: core.completed()
        }
    }

    /// Sends an element to all subscribers and stores it.
    public func onNext(_ element: Element) { core.next(element) }

    /// Fails the stream with the error.
    public func onError(_ error: any Error) { core.error(error) }

    /// Completes the stream.
    public func onCompleted() { core.completed() }

    /// The observer that feeds the subject: the subject itself.
    public func asObserver() -> ReplaySubject<Element> { self }

    /// Removes all subscribers without sending an event. Later subscribers receive `RxError.disposed`.
    public func dispose() { core.dispose() }
}

/// The core of `ReplaySubject` and `share`: stores the last elements.
///
/// With the usual limit of 1, the element is in a reused `Box`, so storing later elements allocates nothing.
class ReplayCore<Element>: SubjectCore<Element> {
    private let limit: Int
    private final let past = FIFOQueue<Element>()

    init(limit: Int) {
        self.limit = limit
        super.init(limit > 0 ? .replayed : .none, latest: limit == 1 ? Box() : nil)
    }

    final override func retain(_ value: inout Element) {
        past.append(value)
        if past.count > limit { value = past.removeFirst() }
    }

    final override func replayedElements(afterEnd ended: Bool) -> [Element] {
        guard let latest else { return past.contents }
        return latest.isEmpty ? [] : [latest.value]
    }
}
