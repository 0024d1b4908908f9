import Dispatch
import Foundation
import Rx
import RxTest
import XCTest

/// The order in which work runs on the current thread, in virtual time and on queues.
final class SchedulingTests: XCTestCase {
    private var log: [String] = []

    func testTheCurrentThreadDoesInnerWorkAfterOuterWork() {
        let scheduler = CurrentThreadScheduler.instance
        XCTAssertTrue(CurrentThreadScheduler.isScheduleRequired)
        _ = scheduler.schedule(()) { _ in
            self.log.append("outer")
            XCTAssertFalse(CurrentThreadScheduler.isScheduleRequired)
            _ = scheduler.schedule(()) { _ in
                self.log.append("first")
                _ = scheduler.schedule(()) { _ in
                    self.log.append("first's")
                    return Disposables.create()
                }
                return Disposables.create()
            }
            _ = scheduler.schedule(()) { _ in
                self.log.append("second")
                return Disposables.create()
            }
            self.log.append("outer end")
            return Disposables.create()
        }
        XCTAssertEqual(log, ["outer", "outer end", "first", "second", "first's"])
        XCTAssertTrue(CurrentThreadScheduler.isScheduleRequired)
    }

    func testWorkOfTheCurrentThreadIsTakenBack() {
        let scheduler = CurrentThreadScheduler.instance
        _ = scheduler.schedule(()) { _ in
            let work = scheduler.schedule(()) { _ in
                self.log.append("never")
                return Disposables.create()
            }
            work.dispose()
            return Disposables.create()
        }
        XCTAssertEqual(log, [])
    }

    func testRecursiveWork() {
        _ = CurrentThreadScheduler.instance.scheduleRecursive(3) { state, recurse in
            self.log.append("\(state)")
            if state > 0 { recurse(state - 1) }
        }
        XCTAssertEqual(log, ["3", "2", "1", "0"])
    }

    func testADeepRecursionNeedsNoStack() {
        var sum = 0
        _ = Observable.range(start: 1, count: 100_000).concatMap { Observable.of($0) }.subscribe(onNext: { sum += $0 })
        XCTAssertEqual(sum, 5_000_050_000)
        var attempts = 0
        _ = Observable<Int>.deferred {
            attempts += 1
            return attempts < 50_000 ? .error(RxError.unknown) : .just(1)
        }
        .retry().subscribe()
        XCTAssertEqual(attempts, 50_000)
    }

    func testColdStreamsTakeTurns() {
        let left = Observable.of(1, 2, 3).do(onNext: { self.log.append("l\($0)") })
        let right = Observable.of(1, 2, 3).do(onNext: { self.log.append("r\($0)") })
        _ = Observable.zip(left, right) { ($0, $1) }.subscribe()
        XCTAssertEqual(log, ["l1", "r1", "l2", "r2", "l3", "r3"])
    }

    func testJustDoesNotTakeTurns() {
        let left = Observable.just(1).do(onNext: { self.log.append("l\($0)") })
        let right = Observable.of(1, 2).do(onNext: { self.log.append("r\($0)") })
        _ = Observable.merge(right, left).subscribe()
        XCTAssertEqual(log, ["l1", "r1", "r2"])
    }

    func testASubscriptionInsideAnEventIsRunLater() {
        _ = Observable.of(1, 2).subscribe(onNext: { outer in
            self.log.append("\(outer)")
            _ = Observable.of("a", "b").subscribe(onNext: { self.log.append("\(outer)\($0)") })
            self.log.append("\(outer) end")
        })
        XCTAssertEqual(log, ["1", "1 end", "1a", "2", "2 end", "1b", "2a", "2b"])
    }

    func testObserveOnGivesOneEventAnInstant() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(210, 2), .next(220, 3), .completed(230),
        ])
        let result = scheduler.start { source.observe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(211, 1), .next(212, 2), .next(221, 3), .completed(231)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
    }

    func testObserveOnForgetsWhatWaitsAtDispose() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(210, 2), .next(210, 3)])
        let result = scheduler.start(disposed: 212) { source.observe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(211, 1)])
    }

    func testSubscribeOnMovesSubscriptionAndDisposal() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1)])
        let result = scheduler.start { source.subscribe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1)])
        XCTAssertEqual(source.subscriptions, [Subscription(201, 1001)])
    }

    func testObserveOnASerialQueueKeepsTheOrder() {
        let queue = SerialDispatchQueueScheduler(qos: .userInitiated, internalSerialQueueName: "compatibility")
        let done = expectation(description: "The stream ended.")
        var heard: [Int] = []
        let subscription = Observable.range(start: 0, count: 1000).observe(on: queue)
            .subscribe(onNext: { heard.append($0) }, onCompleted: { done.fulfill() })
        wait(for: [done], timeout: 60)
        subscription.dispose()
        XCTAssertEqual(heard, Array(0..<1000))
    }

    func testSubscribeOnAQueueIsHeardOnTheMainThread() {
        let background = ConcurrentDispatchQueueScheduler(qos: .background)
        let done = expectation(description: "The stream ended.")
        var threads: [Bool] = []
        let subscription = Observable<Int>.create { observer in
            threads.append(Thread.isMainThread)
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create()
        }
        .subscribe(on: background)
        .observe(on: MainScheduler.instance)
        .subscribe(onNext: { _ in threads.append(Thread.isMainThread) }, onCompleted: { done.fulfill() })
        wait(for: [done], timeout: 60)
        subscription.dispose()
        XCTAssertEqual(threads, [false, true])
    }

    func testTheMainSchedulerRunsAtOnceOnTheMainThread() {
        _ = MainScheduler.instance.schedule(()) { _ in
            self.log.append("now")
            return Disposables.create()
        }
        XCTAssertEqual(log, ["now"])
        MainScheduler.ensureExecutingOnScheduler()
    }

    func testVirtualTimeRunsInOrder() {
        let scheduler = TestScheduler(initialClock: 10)
        for (time, name) in [(30, "c"), (20, "a"), (20, "b")] {
            scheduler.scheduleAt(time) { self.log.append("\(name) \(scheduler.clock)") }
        }
        scheduler.scheduleAt(20) {
            _ = scheduler.schedule(()) { _ in
                self.log.append("soon \(scheduler.clock)")
                return Disposables.create()
            }
        }
        scheduler.scheduleAt(25) { scheduler.stop() }
        scheduler.start()
        XCTAssertEqual(log, ["a 20", "b 20", "soon 21"])
        scheduler.start()
        XCTAssertEqual(log.last, "c 30")
    }
}
