import Dispatch
import Rx
import RxTest
import Testing

@Suite struct DebounceTests {
    @Test func debounceWaitsForAPause() {
        let script: [RecordedEvent<Int>] = [.next(210, 1), .next(215, 2), .next(240, 3), .completed(245)]
        check(script, gives: [.next(225, 2), .next(245, 3), .completed(245)], lives: (200, 245)) {
            stream, scheduler in
            stream.debounce(.seconds(10), scheduler: scheduler)
        }
    }

    /// At the tick of the timer, the source emits before the timer fires, so the timer starts again.
    @Test func anElementAtTheTickOfTheTimerRestartsTheTime() {
        let script: [RecordedEvent<Int>] = [.next(210, 1), .next(220, 2), .completed(250)]
        check(script, gives: [.next(230, 2), .completed(250)], lives: (200, 250)) { stream, scheduler in
            stream.debounce(.seconds(10), scheduler: scheduler)
        }
    }

    @Test func anErrorDropsWaitingElements() {
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<Int>], lives: (200, 225)) {
            stream, scheduler in
            stream.debounce(.seconds(20), scheduler: scheduler)
        }
    }

    @Test func disposalDropsWaitingEvents() {
        let scheduler = check(usual, disposed: 253, gives: [] as [RecordedEvent<Int>], lives: (200, 253)) {
            stream, scheduler in
            stream.debounce(.seconds(20), scheduler: scheduler)
        }
        #expect(scheduler.clock == 300)
    }

    @Test(arguments: [0, -3])
    func anIntervalOfZeroOrLessIsTheNextTick(_ seconds: Int) {
        check(
            failing, gives: [.next(211, 1), .next(221, 2), .error(225, TestError.first)],
            lives: (200, 225)
        ) {
            stream, scheduler in stream.debounce(.seconds(seconds), scheduler: scheduler)
        }
    }

    @Test func anElementSentByTheSubscriberWaitsToo() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        let subscription = subject.debounce(.seconds(10), scheduler: scheduler).do(onNext: {
            if $0 == 1 { subject.onNext(2) }
        }).subscribe(observer)
        scheduler.scheduleAt(210) { subject.onNext(1) }
        scheduler.start()
        #expect(observer.events == [.next(220, 1), .next(230, 2)])
        subscription.dispose()
    }
}
