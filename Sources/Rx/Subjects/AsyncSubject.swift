/// A subject that sends only its last element, when it completes.
///
/// Subscribers after the end receive the last element and completion, or the error. Elements are sent only then.
/// Events may be sent from any thread.
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of the core.
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

/// Stores the last element and forwards no other.
private final class AsyncCore<Element>: SubjectCore<Element> {
    private var last: Box<Element>?
    init() { super.init(.silent) }

    override func retain(_ value: inout Element) {
        if let last { last.exchange(&value) } else { last = Box(value) }
    }

    override func replayedElements(afterEnd ended: Bool) -> [Element] { ended && failure == nil ? finalElements() : [] }
    override func finalElements() -> [Element] { last.map { [$0.value] } ?? [] }
}
