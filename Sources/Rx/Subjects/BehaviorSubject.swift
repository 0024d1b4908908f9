/// A hot stream fed by hand with a current value: subscribers get that first, then what comes.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Guard for `@unchecked`: the drain and the lock of the core.
    /// The type of its feeding side.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    private let core: BehaviorCore<Element>

    /// A subject whose current value is the one given.
    public init(value: Element) {
        core = BehaviorCore(value)
        super.init(core)
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { core.hasSubscribers }

    /// Whether `dispose` was called.
    public var isDisposed: Bool { core.isDisposed }

    /// The current value; throws the error that ended the stream, or `RxError.disposed`.
    public func value() throws -> Element {
        if isDisposed { throw RxError.disposed(object: "BehaviorSubject") }
        if let error = core.locked({ core.failure }) { throw error }
        return core.current
    }

    /// Sends an event to all subscribers.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): core.next(value)
        case .error(let error): core.error(error)
        case .completed: core.completed()
        }
    }

    /// Changes the value and sends it to all subscribers.
    public func onNext(_ element: Element) { core.next(element) }

    /// Ends the stream with the error.
    public func onError(_ error: any Error) { core.error(error) }

    /// Ends the stream.
    public func onCompleted() { core.completed() }

    /// Its feeding side.
    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Lets go of all subscribers without a word; later ones get `RxError.disposed`.
    public func dispose() { core.dispose() }
}

/// Remembers the current value.
final class BehaviorCore<Element>: SubjectCore<Element> {
    private var value: Element
    init(_ value: Element) {
        self.value = value
        super.init(.replayed)
    }

    var current: Element { locked { value } }

    override func retain(_ value: inout Element) {
        swap(&self.value, &value)
    }

    override func replayedElements(afterEnd ended: Bool) -> [Element] { ended ? [] : [value] }
}
