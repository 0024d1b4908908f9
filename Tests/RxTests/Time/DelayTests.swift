import Dispatch
import Rx
import RxTest
import Testing

@Suite struct DelayTests {
    @Test func delayShiftsElementsAndCompletion() {
        let script: [RecordedEvent<Int>] = [.next(210, 1), .next(215, 2), .completed(230)]
        check(script, gives: [.next(260, 1), .next(265, 2), .completed(280)], lives: (200, 230)) {
            stream, scheduler in
            stream.delay(.seconds(50), scheduler: scheduler)
        }
    }

    @Test func anErrorIsForwardedAtOnceAndDropsWaitingElements() {
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<Int>], lives: (200, 225)) {
            stream, scheduler in
            stream.delay(.seconds(50), scheduler: scheduler)
        }
        check(
            failing, gives: [.next(213, 1), .next(223, 2), .error(225, TestError.first)],
            lives: (200, 225)
        ) {
            stream, scheduler in stream.delay(.seconds(3), scheduler: scheduler)
        }
    }

    /// Each firing of the timer delivers one event, so in virtual time each event has its own tick.
    @Test func eventsOfOneTickAreDeliveredOneATick() {
        let script: [RecordedEvent<Int>] = [.next(210, 1), .next(210, 2), .next(212, 3), .completed(212)]
        check(
            script, gives: [.next(220, 1), .next(221, 2), .next(222, 3), .completed(223)],
            lives: (200, 212)
        ) { stream, scheduler in stream.delay(.seconds(10), scheduler: scheduler) }
    }

    @Test func disposalDropsWaitingEvents() {
        check(usual, disposed: 253, gives: [.next(240, 1), .next(250, 2)], lives: (200, 253)) {
            stream, scheduler in
            stream.delay(.seconds(30), scheduler: scheduler)
        }
    }

    @Test(arguments: [0, -3])
    func anIntervalOfZeroOrLessIsTheNextTick(_ seconds: Int) {
        check(
            failing, gives: [.next(211, 1), .next(221, 2), .error(225, TestError.first)],
            lives: (200, 225)
        ) {
            stream, scheduler in stream.delay(.seconds(seconds), scheduler: scheduler)
        }
    }

    @Test func anErrorCausedByADeliveryFollowsIt() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let subscription = subject.delay(.seconds(10), scheduler: scheduler).subscribe(
            onNext: { value in
                subject.onError(TestError.first)
                log.add("\(value)")
            }, onError: { log.add("\($0) at \(scheduler.clock)") })
        scheduler.scheduleAt(210) {
            subject.onNext(1)
            subject.onNext(2)
        }
        scheduler.start()
        #expect(log.all == ["1", "first at 220"])
        subscription.dispose()
    }

    @Test func delaySubscriptionSubscribesLater() {
        check(usual, gives: Array(usual.dropFirst(3)), lives: (225, 300)) { stream, scheduler in
            stream.delaySubscription(.seconds(25), scheduler: scheduler)
        }
        check(failing, gives: [.next(220, 2), .error(225, TestError.first)], lives: (215, 225)) {
            stream, scheduler in
            stream.delaySubscription(.seconds(15), scheduler: scheduler)
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (201, 300)) { stream, scheduler in
            stream.delaySubscription(.seconds(-15), scheduler: scheduler)
        }
    }

    @Test func disposalBeforeTheDelayedSubscriptionPreventsIt() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let result = scheduler.start(disposed: 220) {
            source.delaySubscription(.seconds(25), scheduler: scheduler)
        }
        #expect(result.events.isEmpty)
        #expect(source.subscriptions.isEmpty)
    }
}
