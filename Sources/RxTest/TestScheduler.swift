public import Rx

/// Virtual time for tests: nothing happens until `start` or `advanceTo` moves the clock.
///
/// One tick stands for `resolution` seconds, and every `RxTimeInterval` is rounded to the nearest tick. With the
/// default of one second `.milliseconds(400)` is no tick at all; give `resolution: 0.001` for ticks of milliseconds.
///
/// Where processing delay is simulated, what `schedule` and `scheduleRelative` are given for a time that is not later than
/// now comes one tick later. Times in ticks, as those of `scheduleAt` and of testable observables, are exact.
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    // Guard for `@unchecked`: the lock of the superclass; this class adds constants only.

    /// The times of the usual test: made at 100, subscribed at 200, disposed of at 1000.
    public enum Defaults {
        /// When the stream is made.
        public static let created = 100
        /// When it is subscribed to.
        public static let subscribed = 200
        /// When it is disposed of.
        public static let disposed = 1000
    }

    private let simulateProcessingDelay: Bool

    /// A scheduler whose clock stands at the given tick.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        precondition(resolution > 0, "A tick must last longer than nothing.")
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(
            initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    /// A time not later than now becomes the next tick where processing delay is simulated, else now.
    public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
        let now = clock
        return time <= now ? now + (simulateProcessingDelay ? 1 : 0) : time
    }

    /// Does the action at the given tick, or next if that is not later than now.
    @preconcurrency
    public func scheduleAt(_ time: TestTime, action: @escaping @Sendable () -> Void) {
        _ = scheduleVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }

    /// Moves the clock on by so many ticks and does what is due.
    public func advanceBy(_ ticks: Int) { advanceTo(clock + ticks) }

    /// A stream that sends the events at these ticks whoever is subscribed.
    public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        HotObservable(self, events)
    }

    /// A stream that sends the events that many ticks after each subscription.
    public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        ColdObservable(self, events)
    }

    /// An observer that records what it hears and when.
    public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> { TestableObserver(self) }

    /// Makes a stream, subscribes to it and disposes of it at the given ticks, and gives what came in between.
    public func start<Element, Stream: ObservableConvertibleType>(
        created: TestTime, subscribed: TestTime, disposed: TestTime, create: @escaping () -> Stream
    ) -> TestableObserver<Element> where Stream.Element == Element {
        let observer = createObserver(Element.self)
        let run = TestRun(observer, { create().asObservable() })
        scheduleAt(created) { run.make() }
        scheduleAt(subscribed) { run.begin() }
        scheduleAt(disposed) { run.end() }
        start()
        return observer
    }

    /// As `start(created:…)` with the usual times but for the last.
    public func start<Element, Stream: ObservableConvertibleType>(
        disposed: TestTime, create: @escaping () -> Stream
    ) -> TestableObserver<Element> where Stream.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// As `start(created:…)` with the usual times.
    public func start<Element, Stream: ObservableConvertibleType>(
        _ create: @escaping () -> Stream
    ) -> TestableObserver<Element> where Stream.Element == Element {
        start(
            created: Defaults.created, subscribed: Defaults.subscribed, disposed: Defaults.disposed, create: create)
    }
}
