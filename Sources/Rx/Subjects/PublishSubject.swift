/// A hot stream fed by hand: subscribers get what comes after they subscribed. After the end they get the end.
///
/// It may be fed from any thread; events are delivered one at a time on the thread of one of the feeders.
public final class PublishSubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Guard for `@unchecked`: the drain and the lock of the core.
    /// The type of its feeding side.
    public typealias SubjectObserverType = PublishSubject<Element>

    private let core: SubjectCore<Element>

    /// A subject without subscribers.
    public init() {
        core = SubjectCore()
        super.init(core)
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { core.hasSubscribers }

    /// Whether `dispose` was called.
    public var isDisposed: Bool { core.isDisposed }

    /// Sends an event to all subscribers.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): core.next(value)
        case .error(let error): core.error(error)
        case .completed: core.completed()
        }
    }

    /// Sends an element to all subscribers.
    public func onNext(_ element: Element) { core.next(element) }

    /// Ends the stream with the error.
    public func onError(_ error: any Error) { core.error(error) }

    /// Ends the stream.
    public func onCompleted() { core.completed() }

    /// Its feeding side.
    public func asObserver() -> PublishSubject<Element> { self }

    /// Lets go of all subscribers without a word; later ones get `RxError.disposed`.
    public func dispose() { core.dispose() }
}
