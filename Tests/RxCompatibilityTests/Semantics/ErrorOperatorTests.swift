import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

private struct Retryable: Error { let delay: Int }

/// Operators that replace or repeat a stream that fails.
final class ErrorOperatorTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testRetryWhenWaitsForTheTrigger() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.one)])
        let result = scheduler.start {
            source.retry(when: { errors in
                errors.scan(0) { count, error -> Int in
                    if count == 2 { throw error }
                    return count + 1
                }
                .flatMap { Observable<Int>.timer(.seconds($0 * 50), scheduler: self.scheduler) }
            })
        }
        XCTAssertEqual(
            result.events, [.next(210, 1), .next(280, 1), .next(400, 1), .error(410, TestError.one)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220), Subscription(270, 290), Subscription(390, 410)])
    }

    func testRetryWhenTheTriggerCompletes() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.one)])
        let result = scheduler.start { source.retry(when: { (errors: Observable<Error>) in errors.take(1) }) }
        // The trigger completes at the first error, while the source is subscribed to again. Its completion takes
        // effect only at the next error.
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 1), .completed(240)])
    }

    func testRetryWhenTheTriggerIsHeardOnlyAfterAnError() {
        let good = scheduler.createColdObservable([.next(10, 1), .next(150, 2), .completed(250)])
        let result = scheduler.start { good.retry(when: { _ in Observable<Int>.empty() }) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(350, 2), .completed(450)])
        XCTAssertEqual(good.subscriptions, [Subscription(200, 450)])
    }

    func testRetryWhenAnEmptyTriggerCompletesAtTheError() {
        let bad = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.one)])
        let result = scheduler.start { bad.retry(when: { _ in Observable<Int>.empty() }) }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(220)])
        XCTAssertEqual(bad.subscriptions, [Subscription(200, 220)])
    }

    func testRetryWhenTicksWithoutAnErrorDoNothing() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(40, 2), .error(60, TestError.one)])
        let ticks = scheduler.createHotObservable([.next(220, ()), .next(230, ()), .next(300, ())])
        let result = scheduler.start(disposed: 350) { source.retry(when: { (_: Observable<Error>) in ticks }) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(240, 2), .next(310, 1), .next(340, 2)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 260), Subscription(300, 350)])
    }

    func testRetryWhenTheTriggerFails() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.one)])
        let result = scheduler.start {
            source.retry(when: { (errors: Observable<Error>) in
                errors.flatMap { _ in Observable<Int>.error(TestError.two) }
            })
        }
        XCTAssertEqual(result.events, [.next(210, 1), .error(220, TestError.two)])
    }

    func testRetryWhenForOneKindOfError() {
        var attempt = 0
        let source = Observable<Int>.deferred {
            attempt += 1
            return attempt < 3 ? .error(Retryable(delay: attempt)) : .error(TestError.one)
        }
        let result = scheduler.start {
            source.retry(when: { (errors: Observable<Retryable>) in
                errors.flatMap { Observable<Int>.timer(.seconds($0.delay), scheduler: self.scheduler) }
            })
        }
        XCTAssertEqual(result.events, [.error(203, TestError.one)])
        XCTAssertEqual(attempt, 3)
    }

    func testRetryCountsAttempts() {
        for (count, attempts) in [(1, 1), (2, 2), (3, 3)] {
            var made = 0
            var errors = 0
            _ = Observable<Int>.deferred {
                made += 1
                return .error(TestError.one)
            }
            .retry(count).subscribe(onError: { _ in errors += 1 })
            XCTAssertEqual([made, errors], [attempts, 1])
        }
    }

    func testCatchSequenceGoesOnUntilOneCompletes() {
        let first = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.one)])
        let second = scheduler.createColdObservable([.next(10, 2), .error(20, TestError.two)])
        let third = scheduler.createColdObservable([.next(10, 3), .completed(20)])
        let fourth = scheduler.createColdObservable([.next(10, 4)])
        let result = scheduler.start {
            Observable.catch(sequence: [
                first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable(),
            ])
        }
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 2), .next(250, 3), .completed(260)])
        XCTAssertEqual(second.subscriptions, [Subscription(220, 240)])
        XCTAssertEqual(fourth.subscriptions, [])
    }

    func testCatchSequenceTellsTheLastError() {
        let result = scheduler.start {
            Observable<Int>.catch(sequence: [.error(TestError.one), .error(TestError.two)])
        }
        XCTAssertEqual(result.events, [.error(200, TestError.two)])
    }

    func testCatchSequenceOfNothingCompletes() {
        let result = scheduler.start { Observable<Int>.catch(sequence: [Observable<Int>]()) }
        XCTAssertEqual(result.events, [.completed(200)])
    }

    func testCatchSwitchesAtTheError() {
        let source = scheduler.createHotObservable([.next(210, 1), .error(220, TestError.one), .next(230, 9)])
        let other = scheduler.createColdObservable([.next(10, 2), .completed(20)])
        let result = scheduler.start { source.catch { _ in other.asObservable() } }
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 2), .completed(240)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
        XCTAssertEqual(other.subscriptions, [Subscription(220, 240)])
    }

    func testTimeoutGoesOverToTheOther() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .next(320, 3)])
        let other = scheduler.createColdObservable([.next(10, 8), .completed(20)])
        let result = scheduler.start { source.timeout(.seconds(50), other: other, scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(240, 2), .next(300, 8), .completed(310)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 290)])
        XCTAssertEqual(other.subscriptions, [Subscription(290, 310)])
    }

    func testTimeoutFails() {
        let result = scheduler.start { Observable<Int>.never().timeout(.seconds(30), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.error(230, RxError.timeout)])
    }

    func testErrorsAreEqualByDescription() {
        XCTAssertEqual(Event<Int>.error(TestError.one), .error(TestError.one))
        XCTAssertNotEqual(Event<Int>.error(TestError.one), .error(TestError.two))
        XCTAssertNotEqual(Event<Int>.error(TestError.one), .completed)
    }
}
