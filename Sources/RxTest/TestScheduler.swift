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
    // Guard for `@unchecked`: the lock of the superclass; this class adds constants only.

    /// The default times of `start`, in ticks.
    public enum Defaults {
        /// When the stream is created.
        public static let created = 100
        /// When it is subscribed to.
        public static let subscribed = 200
        /// When it is disposed of.
        public static let disposed = 1000
    }

    private let simulateProcessingDelay: Bool

    /// Creates a scheduler with a clock that shows the given tick.
    ///
    /// `resolution` is the length of a tick in seconds. Zero or less traps.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        precondition(resolution > 0, "TestScheduler: the resolution must be greater than 0.")
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(
            initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    /// Returns a later time unchanged; for other times the next tick, or now without a processing delay.
    public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
        let now = clock
        return time <= now ? now + (simulateProcessingDelay ? 1 : 0) : time
    }

    /// Runs the action at the given tick, or next if that has passed.
    @preconcurrency
    public func scheduleAt(_ time: TestTime, action: @escaping @Sendable () -> Void) {
        _ = scheduleVirtual((), time: time) { _ in
            action()
            return Disposables.create()
        }
    }

    /// Moves the clock forward by so many ticks and runs the work that is due.
    public func advanceBy(_ ticks: Int) { advanceTo(clock + ticks) }

    /// A hot stream that sends the events at their ticks.
    public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        HotObservable(self, events)
    }

    /// A cold stream that sends each event that many ticks after a subscription.
    public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        ColdObservable(self, events)
    }

    /// An observer that records its events with their times.
    public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> { TestableObserver(self) }

    /// Creates, subscribes to and disposes of a stream at the given ticks, and returns its recorded events.
    ///
    /// It runs all scheduled work, like `start()`.
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

extension TestScheduler {
    /// As `init(initialClock:resolution:simulateProcessingDelay:)`, with a `Duration`.
    public convenience init(initialClock: TestTime, resolution: Duration, simulateProcessingDelay: Bool = true) {
        self.init(
            initialClock: initialClock, resolution: resolution.inSeconds,
            simulateProcessingDelay: simulateProcessingDelay)
    }
}

/// The steps of one `start`.
///
/// Guard: `start` moves the clock on the calling thread, and only that thread uses this.
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
