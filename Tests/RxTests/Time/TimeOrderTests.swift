import Dispatch
import FoundationEssentials
import Rx
import RxTest
import Testing

/// Operators with a timer, if events are simultaneous or re-entrant, or if the clock jumps.
@Suite struct TimeOrderTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func aDelayOfNeverForwardsOnlyErrors() {
        check(
            [.next(210, 1), .error(270, TestError.first)] as [RecordedEvent<Int>],
            gives: [.error(270, TestError.first)] as [RecordedEvent<Int>], lives: (200, 270)
        ) { $0.delay(.never, scheduler: $1) }
        check(usual, gives: [] as [RecordedEvent<Int>], lives: (200, 300)) { $0.delay(.never, scheduler: $1) }
    }

    @Test func anElementSentInsideADelayedOneIsDelayed() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let scheduler = scheduler
        let subscription = subject.delay(.seconds(5), scheduler: scheduler).subscribe(onNext: {
            log.add("\($0) @ \(scheduler.clock)")
            if $0 == 1 { subject.onNext(2) }
        })
        subject.onNext(1)
        scheduler.start()
        #expect(log.all == ["1 @ 5", "2 @ 10"])
        subscription.dispose()
    }

    @Test func debounceSendsAnElementThatIsDueNow() {
        // At tick 210 the timer of the first element fires before the second element, because the timer was set
        // earlier.
        let scheduler = scheduler
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let subscription = subject.debounce(.seconds(10), scheduler: scheduler)
            .subscribe(onNext: { log.add("\($0) @ \(scheduler.clock)") })
        scheduler.scheduleAt(200) {
            subject.onNext(1)
            scheduler.scheduleAt(210) { subject.onNext(2) }
        }
        scheduler.start()
        #expect(log.all == ["1 @ 210", "2 @ 220"])
        subscription.dispose()
    }

    @Test func anElementThatIsOvertakenAfterALateThrottleIsDropped() {
        let scheduler = LateScheduler()
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let subscription = subject.throttle(.seconds(20), scheduler: scheduler).subscribe(onNext: { log.add($0) })
        subject.onNext(1)
        scheduler.moveClock(5)
        subject.onNext(2)
        scheduler.moveClock(50)
        subject.onNext(3)
        scheduler.fireTimers()
        #expect(log.all == [1, 3])
        subscription.dispose()
    }

    @Test func timeoutIgnoresAStreamThatTimedOut() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let other = Observable<Int>.create { observer in
            subject.onNext(1)
            subject.onCompleted()
            observer.onNext(2)
            return Disposables.create()
        }
        let subscription = subject.timeout(.seconds(5), other: other, scheduler: scheduler)
            .subscribe(onNext: { log.add($0) }, onError: { _ in log.add(-1) }, onCompleted: { log.add(-2) })
        scheduler.start()
        #expect(log.all == [2])
        subscription.dispose()
    }

    @Test func aTimeoutOfNeverForwardsAllElements() {
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { $0.timeout(.never, scheduler: $1) }
    }

    @Test func anElementSentFromInsideRestartsTheTimeout() {
        let scheduler = scheduler
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.timeout(.seconds(10), scheduler: scheduler).subscribe(
            onNext: {
                log.add("\($0)")
                if $0 == 1 { subject.onNext(2) }
            }, onError: { log.add("\($0) @ \(scheduler.clock)") })
        scheduler.scheduleAt(5) { subject.onNext(1) }
        scheduler.start()
        #expect(log.all == ["1", "2", "\(RxError.timeout) @ 15"])
    }
}

/// A scheduler with timers that fire only when the test calls `fireTimers()`.
private final class LateScheduler: SchedulerType {
    private let clock = Guarded(RxTime(timeIntervalSince1970: 0))
    private let timers = Guarded<[@Sendable () -> Void]>([])

    var now: RxTime { clock.withLock { $0 } }
    func moveClock(_ seconds: Double) { clock.withLock { $0 += seconds } }
    func fireTimers() { for timer in timers.withLock({ $0 }) { timer() } }

    func schedule<State>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable { action(state) }

    func scheduleRelative<State>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let start = Start(state: state, action: action)
        timers.withLock { $0.append { start.run() } }
        return Disposables.create()
    }

    /// Guard: the test runs on one thread.
    private struct Start<State>: @unchecked Sendable {
        let state: State
        let action: @Sendable (State) -> any Disposable
        func run() { _ = action(state) }
    }
}
