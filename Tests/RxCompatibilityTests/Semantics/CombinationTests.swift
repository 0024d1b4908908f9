import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

/// When a stream that combines several sources emits, and when it ends.
final class CombinationTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    private func hot<Element>(_ events: Recorded<Event<Element>>...) -> TestableObservable<Element> {
        scheduler.createHotObservable(events)
    }

    // MARK: combineLatest

    func testCombineLatestOfAnEmptyStreamEndsAtTheNextElement() {
        let empty: TestableObservable<Int> = hot(.completed(210))
        let other = hot(.next(215, 2), .completed(230))
        let result = scheduler.start { Observable.combineLatest(empty, other) { $0 + $1 } }
        XCTAssertEqual(result.events, [.completed(215)])
        XCTAssertEqual(empty.subscriptions, [Subscription(200, 210)])
        XCTAssertEqual(other.subscriptions, [Subscription(200, 215)])
    }

    func testCombineLatestOfAnEmptyAndASilentStreamGoesOn() {
        let empty: TestableObservable<Int> = hot(.completed(210))
        let silent: TestableObservable<Int> = hot(.next(150, 1))
        let result = scheduler.start { Observable.combineLatest(empty, silent) { $0 + $1 } }
        XCTAssertEqual(result.events, [])
    }

    func testCombineLatestEndsWithTheLast() {
        let left = hot(.next(210, 1), .next(220, 2), .completed(240))
        let right = hot(.next(215, 10), .next(250, 20), .completed(260))
        let result = scheduler.start { Observable.combineLatest(left, right) { $0 + $1 } }
        XCTAssertEqual(result.events, [.next(215, 11), .next(220, 12), .next(250, 22), .completed(260)])
    }

    func testCombineLatestFailsWithTheFirstError() {
        let left = hot(.next(210, 1), .error(220, TestError.one))
        let right = hot(.next(215, 10), .error(230, TestError.two))
        let result = scheduler.start { Observable.combineLatest(left, right) { $0 + $1 } }
        XCTAssertEqual(result.events, [.next(215, 11), .error(220, TestError.one)])
        XCTAssertEqual(right.subscriptions, [Subscription(200, 220)])
    }

    func testCombineLatestOfACollection() {
        let left = hot(.next(210, 1), .completed(220))
        let right = hot(.next(215, 10), .next(230, 20), .completed(240))
        let result = scheduler.start { Observable.combineLatest([left.asObservable(), right.asObservable()]) }
        XCTAssertEqual(result.events, [.next(215, [1, 10]), .next(230, [1, 20]), .completed(240)])
    }

    func testCollectionsWithoutSources() {
        let combined = scheduler.start { Observable.combineLatest([Observable<Int>]()) { $0 } }
        XCTAssertEqual(combined.events, [.next(200, []), .completed(200)])
        let zipped = TestScheduler(initialClock: 0).start { Observable.zip([Observable<Int>]()) { $0 } }
        XCTAssertEqual(zipped.events, [.completed(200)])
        let merged = TestScheduler(initialClock: 0).start { Observable.merge([Observable<Int>]()) }
        XCTAssertEqual(merged.events, [.completed(200)])
        let concatenated = TestScheduler(initialClock: 0).start { Observable.concat([Observable<Int>]()) }
        XCTAssertEqual(concatenated.events, [.completed(200)])
        let raced = TestScheduler(initialClock: 0).start { Observable.amb([Observable<Int>]()) }
        XCTAssertEqual(raced.events, [])
    }

    // MARK: zip

    func testZipEndsWithTheLastEnd() {
        let empty: TestableObservable<Int> = hot(.completed(210))
        let other = hot(.next(215, 2), .completed(220))
        let result = scheduler.start { Observable.zip(empty, other) { $0 + $1 } }
        XCTAssertEqual(result.events, [.completed(220)])
        XCTAssertEqual(other.subscriptions, [Subscription(200, 220)])
    }

    func testZipWaitsForTheOtherEnd() {
        let left = hot(.next(215, 2), .completed(230))
        let right = hot(.next(220, 3), .completed(240))
        let result = scheduler.start { Observable.zip(left, right) { $0 + $1 } }
        XCTAssertEqual(result.events, [.next(220, 5), .completed(240)])
        XCTAssertEqual(left.subscriptions, [Subscription(200, 230)])
        XCTAssertEqual(right.subscriptions, [Subscription(200, 240)])
    }

    func testZipOfACollectionWaitsForTheOtherEnd() {
        let left = hot(.next(215, 2), .completed(230))
        let right = hot(.next(220, 3), .next(235, 4), .completed(240))
        let result = scheduler.start {
            Observable.zip([left.asObservable(), right.asObservable()]) { $0.reduce(0, +) }
        }
        XCTAssertEqual(result.events, [.next(220, 5), .completed(235)])
    }

    // MARK: merge, concat, amb, switch

    func testMergeEndsWithTheLastAndFailsWithTheFirst() {
        let left = hot(.next(210, 1), .completed(220))
        let right = hot(.next(215, 2), .next(230, 3), .completed(240))
        let result = scheduler.start { Observable.merge(left.asObservable(), right.asObservable()) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(215, 2), .next(230, 3), .completed(240)])
        XCTAssertEqual(left.subscriptions, [Subscription(200, 220)])
    }

    func testMergeOfAtMostTwo() {
        let inner = scheduler.createColdObservable([.next(10, 1), .completed(50)])
        let outer = hot(.next(210, inner), .next(215, inner), .next(220, inner), .completed(230))
        let result = scheduler.start { outer.merge(maxConcurrent: 2) }
        XCTAssertEqual(result.events, [.next(220, 1), .next(225, 1), .next(270, 1), .completed(310)])
        XCTAssertEqual(
            inner.subscriptions, [Subscription(210, 260), Subscription(215, 265), Subscription(260, 310)])
    }

    func testConcatStopsAtAnError() {
        let first = scheduler.createColdObservable([.next(10, 1), .error(20, TestError.one)])
        let second = scheduler.createColdObservable([.next(10, 2)])
        let result = scheduler.start { first.concat(second) }
        XCTAssertEqual(result.events, [.next(210, 1), .error(220, TestError.one)])
        XCTAssertEqual(second.subscriptions, [])
    }

    func testAmbKeepsTheFirstThatSpeaks() {
        let slow = hot(.next(220, 1), .completed(250))
        let quick = hot(.next(210, 2), .next(230, 3), .completed(240))
        let result = scheduler.start { slow.amb(quick) }
        XCTAssertEqual(result.events, [.next(210, 2), .next(230, 3), .completed(240)])
        XCTAssertEqual(slow.subscriptions, [Subscription(200, 210)])
    }

    func testSwitchLatestEndsWithTheLatestAndTheOuter() {
        let inner = scheduler.createColdObservable([.next(10, 1), .next(30, 2), .completed(40)])
        let outer = hot(.next(210, inner), .next(235, inner), .completed(240))
        let result = scheduler.start { outer.switchLatest() }
        XCTAssertEqual(
            result.events, [.next(220, 1), .next(245, 1), .next(265, 2), .completed(275)])
        XCTAssertEqual(inner.subscriptions, [Subscription(210, 235), Subscription(235, 275)])
    }

    func testFlatMapFirstIgnoresWhileBusy() {
        let inner = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let outer = hot(.next(210, 0), .next(220, 0), .next(231, 0), .completed(240))
        let result = scheduler.start { outer.flatMapFirst { _ in inner } }
        XCTAssertEqual(result.events, [.next(220, 1), .next(241, 1), .completed(251)])
    }

    func testWithLatestFromGoesOnWithTheLastValue() {
        let source = hot(.next(210, 1), .next(230, 2), .next(250, 3), .completed(260))
        let other = hot(.next(220, "a"), .completed(225))
        let result = scheduler.start { source.withLatestFrom(other) { "\($0)\($1)" } }
        XCTAssertEqual(result.events, [.next(230, "2a"), .next(250, "3a"), .completed(260)])
    }

    func testWithLatestFromFailsWithEither() {
        let source = hot(.next(210, 1))
        let other: TestableObservable<Int> = hot(.error(225, TestError.one))
        let result = scheduler.start { source.withLatestFrom(other) }
        XCTAssertEqual(result.events, [.error(225, TestError.one)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 225)])
    }

    // MARK: until

    func testTakeUntilIgnoresTheEndOfTheOther() {
        let source = hot(.next(210, 1), .next(230, 2), .completed(250))
        let other: TestableObservable<Int> = hot(.completed(220))
        let result = scheduler.start { source.take(until: other) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 2), .completed(250)])
        XCTAssertEqual(other.subscriptions, [Subscription(200, 220)])
    }

    func testTakeUntilFailsWithTheOther() {
        let source = hot(.next(210, 1), .next(230, 2))
        let other: TestableObservable<Int> = hot(.error(220, TestError.two))
        let result = scheduler.start { source.take(until: other) }
        XCTAssertEqual(result.events, [.next(210, 1), .error(220, TestError.two)])
    }

    func testTakeUntilAStreamThatIsThereAlready() {
        let source = hot(.next(210, 1))
        let result = scheduler.start { source.take(until: Observable.just(1)) }
        XCTAssertEqual(result.events, [.completed(200)])
    }

    func testSkipUntil() {
        let source = hot(.next(210, 1), .next(230, 2), .completed(250))
        let other = hot(.next(220, ()), .next(225, ()))
        let result = scheduler.start { source.skip(until: other) }
        XCTAssertEqual(result.events, [.next(230, 2), .completed(250)])
        XCTAssertEqual(other.subscriptions, [Subscription(200, 220)])
    }

    func testSkipUntilAStreamThatEndsSaysNothing() {
        let source = hot(.next(210, 1), .next(230, 2), .completed(250))
        let other: TestableObservable<Int> = hot(.completed(220))
        let result = scheduler.start { source.skip(until: other) }
        XCTAssertEqual(result.events, [])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 250)])
    }

    func testTakeUntilAPredicate() {
        let source = hot(.next(210, 1), .next(220, 2), .next(230, 3))
        let exclusive = scheduler.createObserver(Int.self)
        let inclusive = scheduler.createObserver(Int.self)
        let bag = DisposeBag()
        source.take(until: { $0 == 2 }, behavior: .exclusive).subscribe(exclusive).disposed(by: bag)
        source.take(until: { $0 == 2 }, behavior: .inclusive).subscribe(inclusive).disposed(by: bag)
        scheduler.start()
        XCTAssertEqual(exclusive.events, [.next(210, 1), .completed(220)])
        XCTAssertEqual(inclusive.events, [.next(210, 1), .next(220, 2), .completed(220)])
        XCTAssertEqual(source.subscriptions, [Subscription(0, 220), Subscription(0, 220)])
    }
}
