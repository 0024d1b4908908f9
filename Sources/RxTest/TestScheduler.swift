public import Rx

/// A scheduler with a virtual clock for tests.
///
/// Work runs only when `start` or `advanceTo` moves the clock. One tick lasts `resolution` seconds, and every
/// `RxTimeInterval` is rounded to the nearest tick. With the default of one second, `.milliseconds(400)` is zero ticks;
/// use `resolution: 0.001` for ticks of a millisecond.
///
/// With a simulated processing delay, work of `schedule` and `scheduleRelative` runs one tick from now at the earliest.
/// Times in ticks, for example those of `scheduleAt` and of testable observables, are exact.
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    // Guard for `@unchecked`: the lock of the superclass guards its state, and this class adds only constants.

    /// The default times of `start`, in ticks.
    public enum Defaults {
        /// When the stream is created.
        public static let created = 100
        /// When the stream is subscribed to.
        public static let subscribed = 200
        /// When the subscription is disposed of.
        public static let disposed = 1000
    }

    private let simulateProcessingDelay: Bool
    let executor = TestTaskExecutor()

    /// Creates a scheduler with a clock that shows the given tick.
    ///
    /// `resolution` is the length of a tick in seconds. Zero or less traps.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        precondition(resolution > 0, "TestScheduler: the resolution must be greater than 0.")
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(
            initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
        beforeEach { [executor] in executor.runWaitingJobs() }
    }

    /// Returns a future time unchanged.
    ///
    /// Other times become the next tick, or the current tick without a simulated processing delay.
    public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
        let now = clock
        return time <= now ? now + (simulateProcessingDelay ? 1 : 0) : time
    }

    /// Runs the action at the given tick, or as the next work if that tick has passed.
    @preconcurrency
    public func scheduleAt(_ time: TestTime, action: @escaping @Sendable () -> Void) {
        _ = scheduleVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }

    /// Moves the clock forward by the given number of ticks and runs the work that is due.
    public func advanceBy(_ ticks: Int) { advanceTo(clock + ticks) }

    /// Creates a hot stream that sends the events at their recorded times.
    public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        HotObservable(self, events)
    }

    /// Creates a cold stream. A recorded time is the number of ticks from a subscription to the event.
    public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        ColdObservable(self, events)
    }

    /// Creates an observer that records its events with their times.
    public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> { TestableObserver(self) }

    /// Creates, subscribes to and disposes of a stream at the given ticks, and returns its recorded events.
    ///
    /// The method runs all scheduled work, as `start()` does.
    public func start<Element, Stream: ObservableConvertibleType>(
        created: TestTime, subscribed: TestTime, disposed: TestTime, create: @escaping () -> Stream
    ) -> TestableObserver<Element> where Stream.Element == Element {
        let observer = createObserver(Element.self)
        let run = TestRun(observer, { create().asObservable() })
        scheduleAt(created) { run.createStream() }
        scheduleAt(subscribed) { run.subscribe() }
        scheduleAt(disposed) { run.dispose() }
        start()
        return observer
    }

    /// As `start(created:…)`, with the default times except the last.
    public func start<Element, Stream: ObservableConvertibleType>(
        disposed: TestTime, create: @escaping () -> Stream
    ) -> TestableObserver<Element> where Stream.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// As `start(created:…)`, with the default times.
    public func start<Element, Stream: ObservableConvertibleType>(
        _ create: @escaping () -> Stream
    ) -> TestableObserver<Element> where Stream.Element == Element {
        start(
            created: Defaults.created, subscribed: Defaults.subscribed, disposed: Defaults.disposed, create: create)
    }
}

/// Maps ticks to dates: tick 0 is the beginning of 1970, and a tick lasts `resolution` seconds.
public typealias TestSchedulerVirtualTimeConverter = TickConverter

extension TestScheduler {
    /// As `init(initialClock:resolution:simulateProcessingDelay:)`, with a `Duration`.
    public convenience init(initialClock: TestTime, resolution: Duration, simulateProcessingDelay: Bool = true) {
        self.init(
            initialClock: initialClock, resolution: resolution.inSeconds,
            simulateProcessingDelay: simulateProcessingDelay)
    }
}

/// The steps of one `start` with a stream: create, subscribe and dispose.
///
/// Guard for `@unchecked`: `start` moves the clock on the calling thread, and only that thread uses this object.
final class TestRun<Element>: @unchecked Sendable {
    private let observer: TestableObserver<Element>
    private let create: () -> Observable<Element>
    private var stream: Observable<Element>?
    private var subscription: (any Disposable)?

    init(_ observer: TestableObserver<Element>, _ create: @escaping () -> Observable<Element>) {
        self.observer = observer
        self.create = create
    }

    func createStream() { stream = create() }
    func subscribe() { subscription = stream?.subscribe(observer) }

    func dispose() {
        subscription?.dispose()
        subscription = nil
        stream = nil
    }
}
