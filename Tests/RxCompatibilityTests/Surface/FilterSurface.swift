import Foundation
import Rx
import RxTest
import XCTest

private struct Point: Equatable {
    var x: Int
    var y: Int
}

final class FilterSurface: ResourceCountingCase {
    private func all<Source: ObservableConvertibleType>(_ source: Source) -> [Source.Element] {
        try! source.toBlocking(timeout: 5).toArray()
    }

    private let xs = Observable.of(1, 1, 2, 2, 3, 1)

    func testByCountAndPredicate() {
        XCTAssertEqual(all(xs.filter { (x: Int) throws -> Bool in x > 1 }), [2, 2, 3])
        XCTAssertEqual(all(xs.take(2)), [1, 1])
        XCTAssertEqual(all(xs.take(0)), [])
        XCTAssertEqual(all(xs.takeLast(2)), [3, 1])
        XCTAssertEqual(all(xs.skip(4)), [3, 1])
        XCTAssertEqual(all(xs.skip(-1)).count, 6)
        XCTAssertEqual(all(xs.take(while: { $0 < 2 })), [1, 1])
        XCTAssertEqual(all(xs.take(while: { $0 < 2 }, behavior: .inclusive)), [1, 1, 2])
        XCTAssertEqual(all(xs.take(while: { $0 < 2 }, behavior: TakeBehavior.exclusive)), [1, 1])
        XCTAssertEqual(all(xs.take(until: { $0 == 2 })), [1, 1])
        XCTAssertEqual(all(xs.take(until: { $0 == 2 }, behavior: .inclusive)), [1, 1, 2])
        XCTAssertEqual(all(xs.skip(while: { $0 < 3 })), [3, 1])
        XCTAssertEqual(all(xs.element(at: 4)), [3])
        let none: Observable<Never> = xs.ignoreElements()
        let completable: Completable = none.asCompletable()
        XCTAssertEqual(all(completable).count, 0)
        let first: Single<Int?> = xs.first()
        XCTAssertEqual(all(first), [1])
        XCTAssertEqual(all(Observable<Int>.empty().first()), [nil])
    }

    func testDistinct() {
        XCTAssertEqual(all(xs.distinctUntilChanged()), [1, 2, 3, 1])
        XCTAssertEqual(all(xs.distinctUntilChanged { (x: Int) throws -> Int in x % 2 }), [1, 2, 3])
        XCTAssertEqual(all(xs.distinctUntilChanged { (l: Int, r: Int) throws -> Bool in l == r }), [1, 2, 3, 1])
        XCTAssertEqual(all(xs.distinctUntilChanged({ $0 / 2 }, comparer: { ($0 == $1) })), [1, 2, 1])
        XCTAssertEqual(all(xs.distinctUntilChanged({ $0 })), [1, 2, 3, 1])
        XCTAssertEqual(all(xs.distinctUntilChanged(==)), [1, 2, 3, 1])
        let points = Observable.of(Point(x: 1, y: 1), Point(x: 1, y: 2), Point(x: 2, y: 2))
        XCTAssertEqual(all(points.distinctUntilChanged(at: \.x)).map { $0.y }, [1, 2])
    }

    func testOnlyOne() {
        func failure(_ stream: Observable<Int>) -> Error? {
            var error: Error?
            _ = stream.subscribe(onError: { error = $0 })
            return error
        }
        XCTAssertEqual(all(Observable.just(1).single()), [1])
        XCTAssertEqual(all(xs.single { (x: Int) throws -> Bool in x == 3 }), [3])
        XCTAssertErrorEqual(failure(xs.single())!, RxError.moreThanOneElement)
        XCTAssertErrorEqual(failure(Observable.empty().single())!, RxError.noElements)
        XCTAssertErrorEqual(failure(xs.single { $0 == 2 })!, RxError.moreThanOneElement)
        XCTAssertErrorEqual(failure(xs.element(at: 6))!, RxError.argumentOutOfRange)
        XCTAssertErrorEqual(failure(xs.asSingle().asObservable())!, RxError.moreThanOneElement)
        XCTAssertErrorEqual(failure(Observable.empty().asSingle().asObservable())!, RxError.noElements)
        XCTAssertErrorEqual(failure(xs.asMaybe().asObservable())!, RxError.moreThanOneElement)
    }

    func testByOtherStreams() {
        let scheduler = TestScheduler(initialClock: 0)
        let l = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .next(250, 3), .completed(300)])
        let r: TestableObservable<String> = scheduler.createHotObservable([
            .next(205, "w"), .next(240, "x"), .completed(260),
        ])
        let results = (0..<4).map { _ in scheduler.createObserver(Int.self) }
        let bag = DisposeBag()
        scheduler.scheduleAt(200) {
            l.take(until: r).subscribe(results[0]).disposed(by: bag)
            l.skip(until: r).subscribe(results[1]).disposed(by: bag)
            l.sample(r).subscribe(results[2]).disposed(by: bag)
            l.sample(r, defaultValue: 9).subscribe(results[3]).disposed(by: bag)
        }
        scheduler.start()
        XCTAssertEqual(results[0].events, [.completed(205)])
        XCTAssertEqual(results[1].events, [.next(210, 1), .next(230, 2), .next(250, 3), .completed(300)])
        // The result does not complete, because the sampler completes before the source.
        XCTAssertEqual(results[2].events, [.next(240, 2), .next(260, 3)])
        XCTAssertEqual(results[3].events, [.next(205, 9), .next(240, 2), .next(260, 3)])
        XCTAssertEqual(r.subscriptions.map { $0.unsubscribe }, [205, 205, 260, 260])
    }

    func testByTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let l = scheduler.createHotObservable([
            .next(210, 1), .next(215, 2), .next(240, 3), .next(290, 4), .completed(300),
        ])
        let time: RxTimeInterval = .seconds(20)
        let results = (0..<9).map { _ in scheduler.createObserver(Int.self) }
        scheduler.scheduleAt(200) {
            _ = l.take(for: time, scheduler: scheduler).subscribe(results[0])
            _ = l.skip(time, scheduler: scheduler).subscribe(results[1])
            _ = l.debounce(time, scheduler: scheduler).subscribe(results[2])
            _ = l.throttle(time, scheduler: scheduler).subscribe(results[3])
            _ = l.throttle(time, latest: false, scheduler: scheduler).subscribe(results[4])
            _ = l.delay(time, scheduler: scheduler).subscribe(results[5])
            _ = l.delaySubscription(time, scheduler: scheduler).subscribe(results[6])
            _ = l.timeout(.seconds(30), scheduler: scheduler).subscribe(results[7])
            _ = l.timeout(.seconds(30), other: Observable.just(9), scheduler: scheduler).subscribe(results[8])
        }
        scheduler.start()
        XCTAssertEqual(results[0].events, [.next(210, 1), .next(215, 2), .completed(220)])
        XCTAssertEqual(results[1].events, [.next(240, 3), .next(290, 4), .completed(300)])
        XCTAssertEqual(results[2].events, [.next(235, 2), .next(260, 3), .next(300, 4), .completed(300)])
        XCTAssertEqual(
            results[3].events, [.next(210, 1), .next(230, 2), .next(250, 3), .next(290, 4), .completed(300)])
        XCTAssertEqual(results[4].events, [.next(210, 1), .next(240, 3), .next(290, 4), .completed(300)])
        XCTAssertEqual(
            results[5].events, [.next(230, 1), .next(235, 2), .next(260, 3), .next(310, 4), .completed(320)])
        XCTAssertEqual(results[6].events, [.next(240, 3), .next(290, 4), .completed(300)])
        XCTAssertEqual(
            results[7].events, [.next(210, 1), .next(215, 2), .next(240, 3), .error(270, RxError.timeout)])
        XCTAssertEqual(
            results[8].events, [.next(210, 1), .next(215, 2), .next(240, 3), .next(270, 9), .completed(270)])
    }
}
