import Foundation
import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

private struct Reading: Codable, Equatable { let value: Int }

/// Further operators: windows, groups, samples, weakly held objects, and up to eight sources.
final class FurtherOperatorTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)
    private let bag = DisposeBag()

    private func source() -> TestableObservable<Int> {
        scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(240, 3), .next(280, 4), .completed(300),
        ])
    }

    func testBuffer() {
        let result = scheduler.start {
            self.source().buffer(timeSpan: .seconds(50), count: 2, scheduler: self.scheduler)
        }
        XCTAssertEqual(result.events, [.next(220, [1, 2]), .next(270, [3]), .next(300, [4]), .completed(300)])
    }

    func testWindow() {
        let result = scheduler.start { () -> Observable<String> in
            self.source().window(timeSpan: .seconds(50), count: 2, scheduler: self.scheduler)
                .enumerated()
                .flatMap { index, window in window.map { "\(index) \($0)" } }
        }
        XCTAssertEqual(
            result.events,
            [.next(210, "0 1"), .next(220, "0 2"), .next(240, "1 3"), .next(280, "2 4"), .completed(300)])
    }

    func testGroupBy() {
        let result = scheduler.start { () -> Observable<String> in
            self.source().groupBy { $0 % 2 == 0 ? "even" : "odd" }
                .flatMap { group in group.map { "\(group.key) \($0)" } }
        }
        XCTAssertEqual(
            result.events,
            [.next(210, "odd 1"), .next(220, "even 2"), .next(240, "odd 3"), .next(280, "even 4"), .completed(300)])
        let made = GroupedObservable(key: 1, source: Observable.just("a"))
        XCTAssertEqual(made.key, 1)
        made.asObservable().subscribe().disposed(by: bag)
    }

    func testEnumerated() {
        let result = scheduler.start { Observable.of("a", "b").enumerated().map { "\($0.index)\($0.element)" } }
        XCTAssertEqual(result.events, [.next(200, "0a"), .next(200, "1b"), .completed(200)])
    }

    func testDecode() throws {
        let result = scheduler.start {
            Observable.of(Data("{\"value\": 1}".utf8)).decode(type: Reading.self, decoder: JSONDecoder())
        }
        XCTAssertEqual(result.events, [.next(200, Reading(value: 1)), .completed(200)])
    }

    func testSampleWithADefault() {
        let empty = scheduler.createHotObservable([.next(215, 1), .completed(290)])
        let sampler = scheduler.createHotObservable([
            .next(205, ()), .next(220, ()), .next(225, ()), .completed(230),
        ])
        let result = scheduler.start { empty.sample(sampler, defaultValue: 0) }
        // The completion of the sampler at 230 takes the last sample. The result does not complete, because the sampler
        // has ended before the source.
        XCTAssertEqual(result.events, [.next(205, 0), .next(220, 1), .next(225, 0), .next(230, 0)])
    }

    func testGenerateAndRepeat() {
        let generated = scheduler.start {
            Observable.generate(initialState: 1, condition: { $0 < 10 }, iterate: { $0 * 2 })
        }
        XCTAssertEqual(generated.events.compactMap { $0.value.element }, [1, 2, 4, 8])
        let repeated = Observable.repeatElement(7, scheduler: CurrentThreadScheduler.instance).take(3)
        XCTAssertEqual(try repeated.toBlocking(timeout: 5).toArray(), [7, 7, 7])
    }

    func testSkipForATime() {
        let result = scheduler.start { self.source().skip(for: .seconds(30), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(240, 3), .next(280, 4), .completed(300)])
    }

    func testWithUnretained() {
        let result = scheduler.start { self.source().withUnretained(self) { owner, value in owner.double(value) } }
        XCTAssertEqual(
            result.events, [.next(210, 2), .next(220, 4), .next(240, 6), .next(280, 8), .completed(300)])
        let pairs: Observable<(FurtherOperatorTests, Int)> = Observable.just(1).withUnretained(self)
        pairs.subscribe(onNext: { owner, value in XCTAssertEqual(owner.double(value), 2) }).disposed(by: bag)
        var object: NSObject? = NSObject()
        let subject = PublishSubject<Int>()
        var log: [String] = []
        subject.withUnretained(object!).subscribe { log.append($0.isCompleted ? "completed" : "next") }
            .disposed(by: bag)
        subject.onNext(1)
        object = nil
        subject.onNext(2)
        XCTAssertEqual(log, ["next", "completed"])
    }

    private func double(_ value: Int) -> Int { value * 2 }

    func testDebug() {
        let result = scheduler.start { self.source().debug().debug("name").debug("name", trimOutput: true) }
        XCTAssertEqual(result.events.count, 5)
    }

    func testFromAnOptionalOnAScheduler() {
        let result = scheduler.start { Observable.from(optional: 1 as Int?, scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(201, 1), .completed(202)])
    }

    func testArities() {
        let a = Observable.just(1)
        XCTAssertEqual(try Observable.zip(a, a, a, a) { $0 + $1 + $2 + $3 }.toBlocking().single(), 4)
        XCTAssertEqual(try Observable.zip(a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 }.toBlocking().single(), 5)
        XCTAssertEqual(
            try Observable.zip(a, a, a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }.toBlocking()
                .single(),
            8)
        XCTAssertEqual(
            try Observable.combineLatest(a, a, a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
                .toBlocking().single(), 8)
        let tuple = Observable.combineLatest(a, Observable.just("a"), a, Observable.just(2.5))
        XCTAssertEqual(try tuple.map { "\($0.0)\($0.1)\($0.2)\($0.3)" }.toBlocking().single(), "1a12.5")
        let large = Observable.zip(a, a, a, a, a, a, a, a).map { $0.0 + $0.7 }
        XCTAssertEqual(try large.toBlocking().single(), 2)
    }
}
