/// A stream together with the observer that feeds it.
public protocol SubjectType: ObservableType {
    /// The type of the observer that feeds the stream.
    associatedtype Observer: ObserverType
    /// The observer that feeds the stream.
    func asObserver() -> Observer
}

/// A subject that sends each element to its current subscribers.
///
/// Subscribers after the end receive the end. Events may be sent from any thread: they are delivered one at a time, on
/// the thread of one of the senders.
public final class PublishSubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Guard for `@unchecked`: the drain and the lock of `core` guard all state.
    /// The type that `asObserver` returns.
    public typealias SubjectObserverType = PublishSubject<Element>

    private let core: SubjectCore<Element>

    /// Creates a subject without subscribers.
    public init() {
        core = SubjectCore()
        super.init(core)
    }

    /// Whether the subject has subscribers.
    public var hasObservers: Bool { core.hasSubscribers }

    /// Whether `dispose` was called.
    public var isDisposed: Bool { core.isDisposed }

    /// Sends an event to all subscribers. Events after the end are ignored.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): core.nextUnretained(value)
        case .error(let error): core.error(error)
        case .completed: core.completed()
        }
    }

    /// Sends an element to all subscribers.
    public func onNext(_ element: Element) { core.nextUnretained(element) }

    /// Fails the stream with the error.
    public func onError(_ error: any Error) { core.error(error) }

    /// Completes the stream.
    public func onCompleted() { core.completed() }

    /// The observer that feeds the subject: the subject itself.
    public func asObserver() -> PublishSubject<Element> { self }

    /// Removes all subscribers without sending an event. Later subscribers receive `RxError.disposed`.
    public func dispose() { core.dispose() }
}
