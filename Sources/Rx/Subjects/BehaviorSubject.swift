/// A subject with a current value: subscribers receive the value first, then later elements.
///
/// Subscribers after the end receive only the end. Events may be sent from any thread: they are delivered one at a
/// time, on the thread of one of the senders.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Guard for `@unchecked`: the drain and the lock of `core` guard all state.
    /// The type that `asObserver` returns.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    private let core: BehaviorCore<Element>

    /// Creates a subject with the given current value.
    public init(value: Element) {
        core = BehaviorCore(value)
        super.init(core)
    }

    /// Whether the subject has subscribers.
    public var hasObservers: Bool { core.hasSubscribers }

    /// Whether `dispose` was called.
    public var isDisposed: Bool { core.isDisposed }

    /// Returns the current value, or throws the error that ended the stream or `RxError.disposed`.
    public func value() throws -> Element {
        if isDisposed { throw RxError.disposed(object: "BehaviorSubject") }
        if let error = core.locked({ core.failure }) { throw error }
        return core.current
    }

    /// Sends an event to all subscribers. Events after the end are ignored.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): core.next(value)
        case .error(let error): core.error(error)
        case .completed: core.completed()
        }
    }

    /// Changes the current value and sends it to all subscribers.
    public func onNext(_ element: Element) { core.next(element) }

    /// Fails the stream with the error.
    public func onError(_ error: any Error) { core.error(error) }

    /// Completes the stream.
    public func onCompleted() { core.completed() }

    /// The observer that feeds the subject: the subject itself.
    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Removes all subscribers without sending an event. Later subscribers receive `RxError.disposed`.
    public func dispose() { core.dispose() }
}

/// The core of `BehaviorSubject` and `BehaviorRelay`: stores the current value.
final class BehaviorCore<Element>: SubjectCore<Element> {
    private let stored: Box<Element>

    init(_ value: Element) {
        stored = Box(value)
        super.init(.replayed, latest: stored)
    }

    var current: Element { locked { stored.value } }

    override func replayedElements(afterEnd ended: Bool) -> [Element] { ended ? [] : [stored.value] }
}
