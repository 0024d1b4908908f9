import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

/// `RxTest`, called as users of RxSwift call it.
final class RxTestShapeTests: XCTestCase {
    func testSchedulersAreMade() {
        XCTAssertEqual(TestScheduler(initialClock: 5).clock, 5)
        XCTAssertEqual(TestScheduler(initialClock: 0, resolution: 0.1).clock, 0)
        XCTAssertEqual(TestScheduler(initialClock: 0, resolution: 0.1, simulateProcessingDelay: false).clock, 0)
        XCTAssertEqual(TestScheduler(initialClock: 0, simulateProcessingDelay: false).clock, 0)
        XCTAssertEqual(
            [TestScheduler.Defaults.created, TestScheduler.Defaults.subscribed, TestScheduler.Defaults.disposed],
            [100, 200, 1000])
    }

    func testResolutionScalesIntervals() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.01)
        let result = scheduler.start { Observable<Int>.timer(.milliseconds(250), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(225, 0), .completed(225)])
    }

    func testProcessingDelay() {
        for (simulated, time) in [(true, 211), (false, 210)] {
            let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: simulated)
            let source = scheduler.createHotObservable([.next(210, 1)])
            XCTAssertEqual(scheduler.start { source.observe(on: scheduler) }.events, [.next(time, 1)])
        }
    }

    func testAllFormsOfStart() {
        func scheduler() -> (TestScheduler, TestableObservable<Int>) {
            let scheduler = TestScheduler(initialClock: 0)
            return (scheduler, scheduler.createHotObservable([.next(250, 1), .next(350, 2), .next(900, 3)]))
        }
        let (a, hotA) = scheduler()
        XCTAssertEqual(a.start { hotA }.events, [.next(250, 1), .next(350, 2), .next(900, 3)])
        let (b, hotB) = scheduler()
        XCTAssertEqual(b.start(disposed: 400) { hotB }.events, [.next(250, 1), .next(350, 2)])
        let (c, hotC) = scheduler()
        let result = c.start(created: 10, subscribed: 300, disposed: 500) { hotC.map { $0 * 2 } }
        XCTAssertEqual(result.events, [.next(350, 4)])
        XCTAssertEqual(hotC.subscriptions, [Subscription(300, 500)])
        let traits = TestScheduler(initialClock: 0)
        XCTAssertEqual(traits.start { Single.just(1) }.events, [.next(200, 1), .completed(200)])
        let maybe: TestableObserver<Int> = TestScheduler(initialClock: 0).start { Maybe.empty() }
        XCTAssertEqual(maybe.events, [.completed(200)])
        let completable = TestScheduler(initialClock: 0).start { Completable.error(TestError.one) }
        XCTAssertEqual(completable.events.count, 1)
    }

    func testRecordedFactories() {
        let time: TestTime = 210
        let explicit: [Recorded<Event<Int>>] = [
            Recorded.next(time, 1), Recorded.error(220, TestError.one), Recorded.completed(230),
        ]
        let short: [Recorded<Event<Int>>] = [.next(210, 1), .error(220, TestError.one), .completed(230)]
        let typed = Recorded.events(.next(210, 1), .error(220, TestError.one, Int.self), .completed(230, Int.self))
        let array = Recorded.events([.next(210, 1), .error(220, TestError.one), .completed(230)])
        XCTAssertEqual(explicit, short)
        XCTAssertEqual(explicit, typed)
        XCTAssertEqual(explicit, array)
        XCTAssertEqual(explicit[0], Recorded(time: 210, value: Event.next(1)))
        XCTAssertEqual("\(explicit)", "[next(1) @ 210, error(one) @ 220, completed @ 230]")
        XCTAssertEqual(explicit[0].time, 210)
        XCTAssertEqual(explicit[0].value.element, 1)
        XCTAssertNotEqual(Recorded.next(210, 1), Recorded.next(211, 1))
    }

    func testSubscriptions() {
        XCTAssertEqual(Subscription(200), Subscription(200, .max))
        XCTAssertEqual(Subscription(200, 300).subscribe, 200)
        XCTAssertEqual(Subscription(200, 300).unsubscribe, 300)
        XCTAssertEqual("\([Subscription(200, 300), Subscription(200)])", "[(200 : 300), (200 : Infinity)]")
        let scheduler = TestScheduler(initialClock: 0)
        let hot = scheduler.createHotObservable([.next(210, 1)])
        var subscription: Disposable?
        scheduler.scheduleAt(205) { subscription = hot.subscribe() }
        scheduler.start()
        XCTAssertEqual(hot.subscriptions, [Subscription(205)])
        subscription?.dispose()
        XCTAssertEqual(hot.subscriptions, [Subscription(205, 210)])
        XCTAssertEqual(hot.recordedEvents, [.next(210, 1)])
    }

    func testObserversRecordOptionalsTuplesAndNothing() {
        let scheduler = TestScheduler(initialClock: 0)
        let optional = scheduler.createObserver(Int?.self)
        let void = scheduler.createObserver(Void.self)
        let pair = scheduler.createObserver((Int, String).self)
        _ = Observable<Int?>.of(1, nil).subscribe(optional)
        _ = Observable.just(()).subscribe(void)
        _ = Observable.just((1, "a")).subscribe(pair)
        XCTAssertEqual(optional.events, [.next(0, 1), .next(0, nil), .completed(0)])
        XCTAssertEqual(void.events.count, 2)
        XCTAssertEqual(pair.events.first?.value.element?.1, "a")
    }

    func testTheClockGoesOverTheWholeColdScript() {
        let scheduler = TestScheduler(initialClock: 0)
        let cold = scheduler.createColdObservable([.next(10, 1), .next(2000, 2)])
        XCTAssertEqual(scheduler.start { cold }.events, [.next(210, 1)])
        XCTAssertEqual(scheduler.clock, 2200)
        XCTAssertEqual(cold.subscriptions, [Subscription(200, 1000)])
    }

    func testAColdScriptIsSilentAfterDisposal() {
        let scheduler = TestScheduler(initialClock: 0)
        let cold = scheduler.createColdObservable([.next(10, 1), .next(20, 2)])
        let direct = scheduler.createObserver(Int.self)
        let subscription = cold.subscribe(direct)
        scheduler.scheduleAt(15) { subscription.dispose() }
        scheduler.start()
        XCTAssertEqual(direct.events, [.next(10, 1)])
        XCTAssertEqual(cold.subscriptions, [Subscription(0, 15)])
    }

    func testAHotScriptReachesADirectObserverAfterItsEnd() {
        let scheduler = TestScheduler(initialClock: 0)
        let hot = scheduler.createHotObservable([.next(210, 1), .completed(220), .next(230, 2)])
        let direct = scheduler.createObserver(Int.self)
        let mapped = scheduler.createObserver(Int.self)
        _ = hot.subscribe(direct)
        _ = hot.map { $0 }.subscribe(mapped)
        scheduler.start()
        XCTAssertEqual(direct.events, [.next(210, 1), .completed(220), .next(230, 2)])
        XCTAssertEqual(mapped.events, [.next(210, 1), .completed(220)])
        XCTAssertEqual(hot.subscriptions, [Subscription(0), Subscription(0, 220)])
    }

    func testOutcomesAreEqual() {
        XCTAssertEqual(MaybeEvent<Int>.success(1), .success(1))
        XCTAssertNotEqual(MaybeEvent<Int>.success(1), .completed)
        XCTAssertEqual(MaybeEvent<Int>.error(TestError.one), .error(TestError.one))
        XCTAssertEqual([CompletableEvent.completed, .error(TestError.one)], [.completed, .error(TestError.one)])
        XCTAssertNotEqual(CompletableEvent.error(TestError.two), .error(TestError.one))
        XCTAssertTrue(SingleEvent<Int>.success(1) == SingleEvent<Int>.success(1))
        XCTAssertFalse(SingleEvent<Int>.success(1) == SingleEvent<Int>.failure(TestError.one))
        XCTAssertTrue(SingleEvent<Int>.failure(TestError.one) == SingleEvent<Int>.failure(TestError.one))
    }

    func testStepByStep() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        _ = subject.delay(.seconds(10), scheduler: scheduler).subscribe(observer)
        subject.onNext(1)
        scheduler.advanceTo(9)
        XCTAssertEqual(observer.events, [])
        scheduler.advanceTo(11)
        XCTAssertEqual(observer.events, [.next(10, 1)])
        XCTAssertEqual(scheduler.clock, 11)
    }
}
