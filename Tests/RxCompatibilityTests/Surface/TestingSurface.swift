import Foundation
import Rx
import RxTest
import XCTest

/// The declarations of `RxTest` and `RxBlocking`, with their types.
final class TestingSurface: ResourceCountingCase {
    func testTypesOfScripts() {
        let time: TestTime = 5
        let recorded = Recorded<Event<Int>>(time: time, value: .next(1))
        let when: TestTime = recorded.time
        let value: Event<Int> = recorded.value
        XCTAssertEqual(recorded, .next(when, 1))
        XCTAssertEqual(value, .next(1))
        XCTAssertEqual(recorded.debugDescription, "next(1) @ 5")
        XCTAssertEqual(Recorded(time: 1, value: "a").debugDescription, "a @ 1")
        let ends: [Recorded<Event<String>>] = [
            .completed(1), .completed(1, String.self), .error(2, testError, String.self),
        ]
        XCTAssertEqual(ends[0], ends[1])
        let none: [Recorded<Event<Never>>] = [.completed(1)]
        XCTAssertEqual(none.count, 1)
        let set: Set<Subscription> = [Subscription(1), Subscription(1, Int.max), Subscription(1, 2)]
        XCTAssertEqual(set.count, 2)
        XCTAssertEqual(Subscription(1, 2).debugDescription, "(1 : 2)")
        XCTAssertEqual(Subscription(1).debugDescription, "(1 : Infinity)")
    }

    func testTypesOfSchedulers() {
        let scheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter> = TestScheduler(
            initialClock: 5, resolution: 0.5, simulateProcessingDelay: false)
        XCTAssertEqual(scheduler.now, Date(timeIntervalSince1970: 2.5))
        XCTAssertEqual((scheduler as! TestScheduler).adjustScheduledTime(3), 5)
        XCTAssertEqual(TestScheduler(initialClock: 5).adjustScheduledTime(3), 6)
        let unit: TestSchedulerVirtualTimeConverter.VirtualTimeUnit = 1
        let interval: TestSchedulerVirtualTimeConverter.VirtualTimeIntervalUnit = 1
        XCTAssertEqual(unit, interval)
    }

    func testTypesOfStreamsAndObservers() {
        let scheduler = TestScheduler(initialClock: 0)
        let cold: TestableObservable<Int> = scheduler.createColdObservable([.next(1, 1)])
        let script: [Recorded<Event<Int>>] = cold.recordedEvents
        let subscriptions: [Subscription] = cold.subscriptions
        let observer: TestableObserver<Int> = scheduler.createObserver(Int.self)
        let events: [Recorded<Event<Int>>] = observer.events
        XCTAssertEqual([script.count, subscriptions.count, events.count], [1, 0, 0])
        let subscription = Observable.zip(cold, cold) { $0 + $1 }.subscribe(observer)
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(observer.events, [.next(1, 2)])
        let erased: AnyObserver<Int> = observer.asObserver()
        erased.onNext(9)
        XCTAssertEqual(observer.events.last, .next(1, 9))
        XCTAssertEqual(observer.events.compactMap { $0.value.element }, [2, 9])
    }

    func testStartingWithEveryTime() {
        let scheduler = TestScheduler(initialClock: 0)
        var made = 0
        let res: TestableObserver<Int> = scheduler.start(created: 10, subscribed: 20, disposed: 30) {
            () -> Observable<Int> in
            made = scheduler.clock
            return Observable<Int>.timer(.seconds(5), scheduler: scheduler)
        }
        XCTAssertEqual(made, 10)
        XCTAssertEqual(res.events, [.next(25, 0), .completed(25)])
    }

    func testSchedulingByHand() {
        let scheduler = TestScheduler(initialClock: 0)
        var times: [Int] = []
        scheduler.scheduleAt(30) { times.append(scheduler.clock) }
        scheduler.scheduleAt(10) {
            times.append(scheduler.clock)
            scheduler.scheduleAt(5) { times.append(scheduler.clock) }
        }
        scheduler.start()
        XCTAssertEqual(times, [10, 10, 30])
    }

    func testBlocking() {
        let xs = Observable.of(42, 43)
        let blocking: BlockingObservable<Int> = xs.toBlocking()
        XCTAssertEqual(try! blocking.toArray(), [42, 43])
        XCTAssertEqual(try! blocking.first(), 42)
        XCTAssertEqual(try! xs.toBlocking(timeout: 1).last(), 43)
        XCTAssertEqual(try! Observable.just(1).toBlocking().single(), 1)
        XCTAssertEqual(try! xs.toBlocking().single { (x: Int) throws -> Bool in x > 42 }, 43)
        XCTAssertNil(try! Observable<Int>.empty().toBlocking().first())
        XCTAssertNil(try! Observable<Int>.empty().toBlocking().last())
        XCTAssertThrowsError(try xs.toBlocking().single()) { XCTAssertErrorEqual($0, RxError.moreThanOneElement) }
        XCTAssertThrowsError(try Observable<Int>.empty().toBlocking().single()) {
            XCTAssertErrorEqual($0, RxError.noElements)
        }
        XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: 0.01).first()) {
            XCTAssertErrorEqual($0, RxError.timeout)
        }
        switch xs.concat(Observable.error(testError)).toBlocking().materialize() {
        case .completed(let elements): XCTFail("\(elements)")
        case .failed(let elements, let error):
            XCTAssertEqual(elements, [42, 43])
            XCTAssertErrorEqual(error, testError)
        }
        let result: MaterializedSequenceResult<Int> = Single.just(1).toBlocking().materialize()
        guard case .completed(elements: [1]) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(try Completable.empty().toBlocking().toArray().count, 0)
        let queue = SerialDispatchQueueScheduler(qos: .default)
        XCTAssertEqual(try! Observable.of(1, 2).observe(on: queue).toBlocking().toArray(), [1, 2])
    }
}
