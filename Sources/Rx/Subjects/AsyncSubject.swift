/// A stream fed by hand of which subscribers get only the last element, once it completed.
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable {
    // Guard for `@unchecked`: the drain and the lock of the core.
    /// The type of its feeding side.
    public typealias SubjectObserverType = AsyncSubject<Element>

    private let core: AsyncCore<Element>

    /// A subject without subscribers.
    public init() {
        core = AsyncCore()
        super.init(core)
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { core.hasSubscribers }

    /// Takes an event.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): core.next(value)
        case .error(let error): core.error(error)
        case .completed: core.completed()
        }
    }

    /// Its feeding side.
    public func asObserver() -> AsyncSubject<Element> { self }
}

/// Remembers the last element and lets live ones not through.
private final class AsyncCore<Element>: SubjectCore<Element> {
    private var last: Box<Element>?
    init() { super.init(.silent) }

    override func retain(_ value: inout Element) {
        if let last { last.exchange(&value) } else { last = Box(value) }
    }

    override func replayedElements(afterEnd ended: Bool) -> [Element] { ended && failure == nil ? finalElements() : [] }
    override func finalElements() -> [Element] { last.map { [$0.value] } ?? [] }
}
