import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

/// The times at which operators with a clock emit.
final class TimingTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testDebounceTellsWhatIsPendingAtTheEnd() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(225, 2), .next(300, 3), .completed(305)])
        let result = scheduler.start { source.debounce(.seconds(20), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(245, 2), .next(305, 3), .completed(305)])
    }

    func testDebounceForgetsWhatIsPendingAtAnError() {
        let source = scheduler.createHotObservable([.next(210, 1), .error(215, TestError.one)])
        let result = scheduler.start { source.debounce(.seconds(20), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.error(215, TestError.one)])
    }

    func testThrottleTellsTheFirstAndTheLatest() {
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(230, 3), .next(300, 4), .next(312, 5), .completed(315),
        ])
        let result = scheduler.start { source.throttle(.seconds(50), scheduler: self.scheduler) }
        XCTAssertEqual(
            result.events, [.next(210, 1), .next(260, 3), .next(310, 4), .next(360, 5), .completed(360)])
    }

    func testThrottleForgetsWhatWaitsWhenANewerElementGoesAtOnce() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .next(260, 3), .completed(300)])
        let result = scheduler.start { source.throttle(.seconds(50), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(260, 3), .completed(300)])
    }

    func testThrottleWithoutTheLatest() {
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(261, 3), .next(300, 4), .completed(320),
        ])
        let result = scheduler.start { source.throttle(.seconds(50), latest: false, scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(261, 3), .completed(320)])
    }

    func testDelayMovesElementsAndTheEndButNotAnError() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        let result = scheduler.start { source.delay(.seconds(100), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(310, 1), .next(320, 2), .completed(330)])
        let other = TestScheduler(initialClock: 0)
        let bad = other.createHotObservable([.next(210, 1), .error(250, TestError.one)])
        let failed = other.start { bad.delay(.seconds(100), scheduler: other) }
        XCTAssertEqual(failed.events, [.error(250, TestError.one)])
    }

    func testDelaySubscription() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .completed(250)])
        let result = scheduler.start { source.delaySubscription(.seconds(30), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(240, 2), .completed(250)])
        XCTAssertEqual(source.subscriptions, [Subscription(230, 250)])
    }

    func testTimersAndIntervals() {
        let timer = scheduler.start { Observable<Int>.timer(.seconds(30), scheduler: self.scheduler) }
        XCTAssertEqual(timer.events, [.next(230, 0), .completed(230)])
        let other = TestScheduler(initialClock: 0)
        let periodic = other.start(disposed: 290) {
            Observable<Int>.timer(.seconds(10), period: .seconds(30), scheduler: other)
        }
        XCTAssertEqual(periodic.events, [.next(210, 0), .next(240, 1), .next(270, 2)])
        let third = TestScheduler(initialClock: 0)
        let interval = third.start(disposed: 290) { Observable<Int64>.interval(.seconds(30), scheduler: third) }
        XCTAssertEqual(interval.events, [.next(230, 0), .next(260, 1)])
    }

    func testTakeForATime() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .completed(250)])
        let result = scheduler.start { source.take(for: .seconds(30), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(230)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
    }

    func testATimeoutIsPutOffByEachElement() {
        let source = scheduler.createHotObservable([.next(220, 1), .next(240, 2), .completed(265)])
        let result = scheduler.start { source.timeout(.seconds(30), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(220, 1), .next(240, 2), .completed(265)])
    }

    func testAnEventAtTheTimeOfTheTimeout() {
        let source = scheduler.createHotObservable([.next(230, 1), .next(400, 2)])
        let result = scheduler.start { source.timeout(.seconds(30), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(230, 1), .error(260, RxError.timeout)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 260)])
    }

    // MARK: Counting operators

    private func ends(_ make: (TestableObservable<Int>) -> Observable<Int>) -> [Recorded<Event<Int>>] {
        let scheduler = TestScheduler(initialClock: 0)
        let stream = make(
            scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3), .completed(250)]))
        return scheduler.start { stream }.events
    }

    func testCountingOperators() {
        XCTAssertEqual(ends { $0.take(0) }, [.completed(200)])
        XCTAssertEqual(ends { $0.take(2) }, [.next(210, 1), .next(220, 2), .completed(220)])
        XCTAssertEqual(ends { $0.takeLast(2) }, [.next(250, 2), .next(250, 3), .completed(250)])
        XCTAssertEqual(ends { $0.takeLast(0) }, [.completed(250)])
        XCTAssertEqual(ends { $0.skip(2) }, [.next(230, 3), .completed(250)])
        XCTAssertEqual(ends { $0.skip(9) }, [.completed(250)])
        XCTAssertEqual(ends { $0.element(at: 1) }, [.next(220, 2), .completed(220)])
        XCTAssertEqual(ends { $0.element(at: 7) }, [.error(250, RxError.argumentOutOfRange)])
        XCTAssertEqual(ends { $0.single() }, [.next(210, 1), .error(220, RxError.moreThanOneElement)])
        XCTAssertEqual(ends { $0.single { $0 == 2 } }, [.next(220, 2), .completed(250)])
        XCTAssertEqual(ends { $0.single { $0 == 9 } }, [.error(250, RxError.noElements)])
        XCTAssertEqual(ends { $0.filter { $0 > 9 }.ifEmpty(default: 8) }, [.next(250, 8), .completed(250)])
        XCTAssertEqual(ends { $0.reduce(0, accumulator: +) }, [.next(250, 6), .completed(250)])
        XCTAssertEqual(ends { $0.first().asObservable().map { $0 ?? 0 } }, [.next(210, 1), .completed(210)])
    }
}
