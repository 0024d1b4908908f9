/// A subject that sends only its last element, at completion.
///
/// Subscribers receive no element before completion. A subscriber after the end receives the last element and
/// completion, or the error. Events may be sent from any thread.
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of `core` guard all state.
    /// The type that `asObserver` returns.
    public typealias SubjectObserverType = AsyncSubject<Element>

    private let core: AsyncCore<Element>

    /// Creates a subject without subscribers.
    public init() {
        core = AsyncCore()
        super.init(core)
    }

    /// Whether the subject has subscribers.
    public var hasObservers: Bool { core.hasSubscribers }

    /// Receives an event. Events after the end are ignored.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): core.next(value)
        case .error(let error): core.error(error)
        case .completed: core.completed()
        }
    }

    /// The observer that feeds the subject: the subject itself.
    public func asObserver() -> AsyncSubject<Element> { self }
}

/// The core of `AsyncSubject`: stores the last element and sends nothing before completion.
private final class AsyncCore<Element>: SubjectCore<Element> {
    private let last = Box<Element>()
    init() { super.init(.silent, latest: last) }

    override func replayedElements(afterEnd ended: Bool) -> [Element] { ended && failure == nil ? finalElements() : [] }
    override func finalElements() -> [Element] { last.isEmpty ? [] : [last.value] }
}
