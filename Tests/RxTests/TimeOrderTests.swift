import Dispatch
import FoundationEssentials
import Rx
import RxTest
import Synchronization
import Testing

/// The finer points of the operators that wait: coincidence, re-entrancy, and clocks that jump.
@Suite struct TimeOrderTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func delayedEventsOfOneMomentComeOneAfterTheOther() {
        check(
            [.next(210, 1), .next(210, 2), .next(211, 3), .completed(211)] as [Line<Int>],
            gives: [.next(260, 1), .next(261, 2), .next(262, 3), .completed(263)], lives: (200, 211)
        ) { $0.delay(.seconds(50), scheduler: $1) }
    }

    @Test func delayOfNothingIsATick() {
        for time in [RxTimeInterval.seconds(0), .seconds(-4)] {
            check(
                [.next(210, 1), .completed(220)] as [Line<Int>], gives: [.next(211, 1), .completed(221)],
                lives: (200, 220)
            ) {
                $0.delay(time, scheduler: $1)
            }
        }
        check(
            [.next(210, 1), .error(270, TestError.first)] as [Line<Int>],
            gives: [.error(270, TestError.first)] as [Line<Int>], lives: (200, 270)
        ) {
            $0.delay(.never, scheduler: $1)
        }
    }

    @Test func delayKeepsTheDistanceBetweenElements() {
        check(
            [.next(210, 1), .next(225, 2), .next(300, 3), .completed(310)] as [Line<Int>],
            gives: [.next(260, 1), .next(275, 2), .next(350, 3), .completed(360)], lives: (200, 310)
        ) { $0.delay(.seconds(50), scheduler: $1) }
    }

    @Test func anErrorOvertakesWhatIsDelayedButNotTheElementThatIsBeingSent() {
        check(
            [.next(210, 1), .next(250, 2), .error(270, TestError.first)] as [Line<Int>],
            gives: [.next(260, 1), .error(270, TestError.first)], lives: (200, 270)
        ) { $0.delay(.seconds(50), scheduler: $1) }
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = subject.delay(.seconds(5), scheduler: scheduler).subscribe(
            onNext: { _ in
                log.add("begin")
                subject.onError(TestError.first)
                log.add("end")
            }, onError: { _ in log.add("error") })
        subject.onNext(1)
        subject.onNext(2)
        scheduler.start()
        #expect(log.all == ["begin", "end", "error"])
    }

    @Test func anElementFromInsideADelayedOneWaitsItsTime() {
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

    @Test func delaySubscriptionCanBeGivenUpBefore() {
        let source = scheduler.createHotObservable(usual)
        let scheduler = scheduler
        let result = scheduler.start(disposed: 215) { source.delaySubscription(.seconds(25), scheduler: scheduler) }
        #expect(result.events.isEmpty)
        #expect(source.subscriptions.isEmpty)
        check(failing, gives: [.next(220, 2), .error(225, TestError.first)], lives: (215, 225)) {
            $0.delaySubscription(.seconds(15), scheduler: $1)
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (201, 300)) {
            $0.delaySubscription(.seconds(-1), scheduler: $1)
        }
    }

    @Test func debounceDropsWhatWaitsAtAnError() {
        check(
            [.next(210, 1), .next(230, 2), .error(235, TestError.first)] as [Line<Int>],
            gives: [.next(220, 1), .error(235, TestError.first)], lives: (200, 235)
        ) { $0.debounce(.seconds(10), scheduler: $1) }
        check(
            [.next(210, 1), .next(215, 2)] as [Line<Int>], disposed: 220, gives: [] as [Line<Int>], lives: (200, 220)
        ) {
            $0.debounce(.seconds(10), scheduler: $1)
        }
    }

    @Test func debounceSendsAnElementThatIsJustDue() {
        // The timer was set before the next element came: it goes first.
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

    @Test func debounceTakesAnElementFromInside() {
        let scheduler = scheduler
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let subscription = subject.debounce(.seconds(10), scheduler: scheduler).subscribe(onNext: {
            log.add("\($0) @ \(scheduler.clock)")
            if $0 == 1 { subject.onNext(2) }
        })
        subject.onNext(1)
        scheduler.start()
        #expect(log.all == ["1 @ 10", "2 @ 20"])
        subscription.dispose()
    }

    @Test func throttleSendsTheLastOneAfterTheEnd() {
        let script: [Line<Int>] = [.next(210, 1), .next(215, 2), .completed(220)]
        check(script, gives: [.next(210, 1), .next(230, 2), .completed(230)], lives: (200, 220)) {
            $0.throttle(.seconds(20), scheduler: $1)
        }
        check(script, gives: [.next(210, 1), .completed(220)], lives: (200, 220)) {
            $0.throttle(.seconds(20), latest: false, scheduler: $1)
        }
        check(
            [.next(210, 1), .next(215, 2), .error(220, TestError.first)] as [Line<Int>],
            gives: [.next(210, 1), .error(220, TestError.first)], lives: (200, 220)
        ) { $0.throttle(.seconds(20), scheduler: $1) }
        check(script, disposed: 218, gives: [.next(210, 1)], lives: (200, 218)) {
            $0.throttle(.seconds(20), scheduler: $1)
        }
        for time in [RxTimeInterval.seconds(0), .seconds(-1)] {
            check(script, gives: script, lives: (200, 220)) { $0.throttle(time, scheduler: $1) }
        }
    }

    @Test func theElementThatALateThrottleOvertakesIsDropped() {
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

    @Test func timeoutSubscribesToTheOtherBeforeItGivesTheStreamUp() {
        let log = Log<String>()
        let first = Observable<Int>.create { _ in Disposables.create { log.add("first gone") } }
        let other = Observable<Int>.create { observer in
            log.add("other")
            observer.onNext(1)
            return Disposables.create { log.add("other gone") }
        }
        let subscription = first.timeout(.seconds(5), other: other, scheduler: scheduler)
            .subscribe(onNext: { log.add("\($0)") })
        scheduler.start()
        subscription.dispose()
        #expect(log.all == ["other", "1", "first gone", "other gone"])
    }

    @Test func timeoutHearsNothingOfAStreamThatIsLate() {
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

    @Test func timeoutOfNothingIsATickAndOfNeverNone() {
        for time in [RxTimeInterval.seconds(0), .seconds(-7)] {
            check(usual, gives: [.error(201, RxError.timeout)] as [Line<Int>], lives: (200, 201)) {
                $0.timeout(time, scheduler: $1)
            }
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { $0.timeout(.never, scheduler: $1) }
    }

    @Test func anElementFromInsideMovesTheTimeoutToo() {
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

/// A clock whose timers go off when they are told to, however late.
private final class LateScheduler: SchedulerType {
    private let clock = Mutex(RxTime(timeIntervalSince1970: 0))
    private let timers = Mutex<[@Sendable () -> Void]>([])

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
