public import Rx

/// Records what it hears and when. It may be fed from any thread.
public final class TestableObserver<Element>: ObserverType, @unchecked Sendable {
    // Guard for `@unchecked`: `lock` guards `recorded`.
    private let scheduler: TestScheduler
    private let lock = Lock()
    private var recorded: [Recorded<Event<Element>>] = []

    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    /// What was heard so far.
    public var events: [Recorded<Event<Element>>] { lock.withLock { recorded } }

    /// Records an event with the time of the scheduler.
    public func on(_ event: Event<Element>) {
        let time = scheduler.clock
        lock.withLock { recorded.append(Recorded(time: time, value: event)) }
    }
}

extension TestableObserver {
    /// The elements heard so far.
    public var elements: [Element] { events.compactMap(\.value.element) }
}

/// Carries a value out of a lock or into scheduled work. Guard: tests hand their values over and do not change them.
struct Carried<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
