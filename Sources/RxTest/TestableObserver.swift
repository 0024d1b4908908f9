public import Rx

/// An observer that records its events with their times. Events may be sent from any thread.
public final class TestableObserver<Element>: ObserverType, @unchecked Sendable {
    // Guard for `@unchecked`: `lock` guards `recorded`.
    private let scheduler: TestScheduler
    private let lock = Lock()
    private var recorded: [Recorded<Event<Element>>] = []

    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    /// The events received so far.
    public var events: [Recorded<Event<Element>>] { lock.withLock { recorded } }

    /// Records an event with the scheduler's time.
    public func on(_ event: Event<Element>) {
        let time = scheduler.clock
        lock.withLock { recorded.append(Recorded(time: time, value: event)) }
    }
}

extension TestableObserver {
    /// The elements received so far.
    public var elements: [Element] { events.compactMap(\.value.element) }
}
