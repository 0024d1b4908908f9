import Dispatch
import Rx
import RxTest
import Testing

@Suite struct TimeTests {
    @Test func timeoutLetsElementsInTimePass() {
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, scheduler in
            stream.timeout(.seconds(60), scheduler: scheduler)
        }
    }

    @Test func timeoutFailsExactlyWhenDue() {
        let script: [Line<Int>] = [.next(210, 1), .next(225, 2), .next(260, 3), .completed(300)]
        check(
            script, gives: [.next(210, 1), .next(225, 2), .error(245, RxError.timeout)], lives: (200, 245)
        ) { stream, scheduler in stream.timeout(.seconds(20), scheduler: scheduler) }
        check([] as [Line<Int>], gives: [.error(220, RxError.timeout)] as [Line<Int>], lives: (200, 220)) {
            stream, scheduler in stream.timeout(.seconds(20), scheduler: scheduler)
        }
    }

    @Test func timeoutGoesOnWithTheOther() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(260, 3)] as [Line<Int>])
        let other = scheduler.createColdObservable([.next(10, 8), .completed(20)] as [Line<Int>])
        let result = scheduler.start { source.timeout(.seconds(20), other: other, scheduler: scheduler) }
        #expect(result.events == [.next(210, 1), .next(240, 8), .completed(250)])
        #expect(source.subscriptions == [Subscription(200, 230)])
        #expect(other.subscriptions == [Subscription(230, 250)])
    }

    @Test func timeoutEndsWithItsStreamAndItsSubscription() {
        check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, scheduler in
            stream.timeout(.seconds(30), scheduler: scheduler)
        }
        check([] as [Line<Int>], disposed: 215, gives: [] as [Line<Int>], lives: (200, 215)) { stream, scheduler in
            stream.timeout(.seconds(20), scheduler: scheduler)
        }
    }

    @Test func ticksMayBeMilliseconds() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let source = scheduler.createHotObservable([.next(210, 1), .next(259, 2)] as [Line<Int>])
        let result = scheduler.start { source.timeout(.milliseconds(50), scheduler: scheduler) }
        #expect(result.events == [.next(210, 1), .next(259, 2), .error(309, RxError.timeout)])
    }

    @Test func delayShiftsElementsAndTheEnd() {
        let script: [Line<Int>] = [.next(210, 1), .next(215, 2), .completed(230)]
        check(script, gives: [.next(260, 1), .next(265, 2), .completed(280)], lives: (200, 230)) { stream, scheduler in
            stream.delay(.seconds(50), scheduler: scheduler)
        }
        check(failing, gives: [.error(225, TestError.first)] as [Line<Int>], lives: (200, 225)) { stream, scheduler in
            stream.delay(.seconds(50), scheduler: scheduler)
        }
    }

    @Test func delaySubscriptionBeginsLater() {
        check(usual, gives: Array(usual.dropFirst(3)), lives: (225, 300)) { stream, scheduler in
            stream.delaySubscription(.seconds(25), scheduler: scheduler)
        }
    }

    @Test func debounceWaitsForQuiet() {
        let script: [Line<Int>] = [.next(210, 1), .next(215, 2), .next(240, 3), .completed(245)]
        check(script, gives: [.next(225, 2), .next(245, 3), .completed(245)], lives: (200, 245)) { stream, scheduler in
            stream.debounce(.seconds(10), scheduler: scheduler)
        }
    }

    @Test func throttleSendsTheFirstAndTheLatest() {
        let script: [Line<Int>] = [.next(210, 1), .next(215, 2), .next(220, 3), .next(260, 4), .completed(270)]
        check(
            script, gives: [.next(210, 1), .next(230, 3), .next(260, 4), .completed(270)], lives: (200, 270)
        ) { stream, scheduler in stream.throttle(.seconds(20), scheduler: scheduler) }
        check(script, gives: [.next(210, 1), .next(260, 4), .completed(270)], lives: (200, 270)) { stream, scheduler in
            stream.throttle(.seconds(20), latest: false, scheduler: scheduler)
        }
    }

    @Test func intervalAndTimerCount() {
        let scheduler = TestScheduler(initialClock: 0)
        let ticks = scheduler.start(disposed: 350) { Observable<Int>.interval(.seconds(50), scheduler: scheduler) }
        #expect(ticks.events == [.next(250, 0), .next(300, 1)])
        let other = TestScheduler(initialClock: 0)
        let once = other.start { Observable<Int>.timer(.seconds(30), scheduler: other) }
        #expect(once.events == [.next(230, 0), .completed(230)])
        let third = TestScheduler(initialClock: 0)
        let both = third.start(disposed: 260) {
            Observable<Int>.timer(.seconds(10), period: .seconds(20), scheduler: third)
        }
        #expect(both.events == [.next(210, 0), .next(230, 1), .next(250, 2)])
    }

    @Test func observeOnDeliversEachEventInItsOwnTick() {
        check(
            [.next(210, 1), .next(210, 2), .completed(210)] as [Line<Int>],
            gives: [.next(211, 1), .next(212, 2), .completed(213)], lives: (200, 210)
        ) { stream, scheduler in stream.observe(on: scheduler) }
    }

    @Test func subscribeOnSubscribesAndDisposesThere() {
        check(usual, disposed: 225, gives: [.next(210, 1), .next(220, 2)], lives: (201, 226)) { stream, scheduler in
            stream.subscribe(on: scheduler)
        }
    }
}

@Suite struct VirtualTimeTests {
    @Test func workOfOneTimeRunsInOrder() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<Int>()
        scheduler.scheduleAt(20) { log.add(3) }
        scheduler.scheduleAt(10) { log.add(1) }
        scheduler.scheduleAt(10) { log.add(2) }
        scheduler.advanceTo(15)
        #expect(log.all == [1, 2])
        #expect(scheduler.clock == 15)
        scheduler.advanceBy(5)
        #expect(log.all == [1, 2, 3])
        scheduler.advance(by: .seconds(10))
        #expect(scheduler.clock == 30)
    }

    @Test func workForAPastTimeRunsNext() {
        let scheduler = TestScheduler(initialClock: 100)
        let log = Log<Int>()
        scheduler.scheduleAt(10) { log.add(scheduler.clock) }
        _ = scheduler.scheduleRelative((), dueTime: .seconds(-5)) { _ in
            log.add(scheduler.clock)
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.all == [101, 101])
    }

    @Test func workThatWasTakenBackDoesNotMoveTheClock() {
        let scheduler = TestScheduler(initialClock: 0)
        scheduler.scheduleRelative((), dueTime: .seconds(50)) { _ in Disposables.create() }.dispose()
        scheduler.start()
        #expect(scheduler.clock == 0)
    }
}
