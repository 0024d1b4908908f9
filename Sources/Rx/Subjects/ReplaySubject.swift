/// A hot stream fed by hand that remembers: subscribers get the past first, also after the end, then what comes.
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Guard for `@unchecked`: the drain and the lock of the core.
    /// The type of its feeding side.
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let core: ReplayCore<Element>

    private init(limit: Int) {
        core = ReplayCore(limit: limit)
        super.init(core)
    }

    /// A subject that remembers that many elements. A negative number traps.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        precondition(bufferSize >= 0, "A replay buffer needs a size that is not negative.")
        return ReplaySubject(limit: bufferSize)
    }

    /// A subject that remembers everything.
    public static func createUnbounded() -> ReplaySubject<Element> { ReplaySubject(limit: .max) }

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

    /// Sends an element to all subscribers and remembers it.
    public func onNext(_ element: Element) { core.next(element) }

    /// Ends the stream with the error.
    public func onError(_ error: any Error) { core.error(error) }

    /// Ends the stream.
    public func onCompleted() { core.completed() }

    /// Its feeding side.
    public func asObserver() -> ReplaySubject<Element> { self }

    /// Lets go of all subscribers without a word; later ones get `RxError.disposed`.
    public func dispose() { core.dispose() }
}

/// Remembers the last elements. One element, the usual case, stands in a field of its own and costs no allocation.
class ReplayCore<Element>: SubjectCore<Element> {
    private let limit: Int
    private final var only: Box<Element>?
    private final var past = FIFOQueue<Element>()

    init(limit: Int) {
        self.limit = limit
        super.init(limit > 0 ? .replayed : .none)
    }

    final override func retain(_ value: inout Element) {
        if let only { only.exchange(&value) } else { keep(&value) }
    }

    @inline(never)
    private final func keep(_ value: inout Element) {
        if limit == 1 { return only = Box(value) }
        past.append(value)
        if past.count > limit, let oldest = past.takeFirst() { value = oldest.element }
    }

    final override func replayedElements(afterEnd ended: Bool) -> [Element] {
        if let only { [only.value] } else { past.contents }
    }
}
