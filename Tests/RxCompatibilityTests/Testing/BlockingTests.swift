import Dispatch
import Foundation
import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

final class BlockingTests: XCTestCase {
    private let background = ConcurrentDispatchQueueScheduler(qos: .userInitiated)

    private func assertThrows<Result>(
        _ expected: Error, line: UInt = #line, _ work: () throws -> Result
    ) {
        XCTAssertThrowsError(try work(), line: line) { XCTAssertEqual("\($0)", "\(expected)", line: line) }
    }

    func testToArray() throws {
        XCTAssertEqual(try Observable.of(1, 2, 3).toBlocking().toArray(), [1, 2, 3])
        XCTAssertEqual(try Observable<Int>.empty().toBlocking().toArray(), [])
        assertThrows(TestError.one) { try Observable<Int>.error(TestError.one).toBlocking().toArray() }
    }

    func testASourceOnAnotherQueue() throws {
        let source = Observable.range(start: 0, count: 100).subscribe(on: background).map { value -> Int in
            XCTAssertFalse(Thread.isMainThread)
            return value
        }
        XCTAssertEqual(try source.toBlocking(timeout: 10).toArray(), Array(0..<100))
        XCTAssertEqual(try source.toBlocking(timeout: 10).last(), 99)
        XCTAssertEqual(try source.concat(Observable.never()).toBlocking(timeout: 10).first(), 0)
        let late = source.concat(Observable.error(TestError.one))
        assertThrows(TestError.one) { try late.toBlocking(timeout: 10).toArray() }
    }

    func testFirstAndLast() throws {
        XCTAssertEqual(try Observable.of(1, 2).toBlocking().first(), 1)
        XCTAssertEqual(try Observable.of(1, 2).toBlocking().last(), 2)
        XCTAssertNil(try Observable<Int>.empty().toBlocking().first())
        XCTAssertNil(try Observable<Int>.empty().toBlocking().last())
        assertThrows(TestError.one) { try Observable<Int>.error(TestError.one).toBlocking().first() }
        let failing = Observable.of(1).concat(Observable.error(TestError.one))
        XCTAssertEqual(try failing.toBlocking().first(), 1)
        assertThrows(TestError.one) { try failing.toBlocking().last() }
    }

    func testSingle() throws {
        XCTAssertEqual(try Observable.just(1).toBlocking().single(), 1)
        assertThrows(RxError.noElements) { try Observable<Int>.empty().toBlocking().single() }
        assertThrows(RxError.moreThanOneElement) { try Observable.of(1, 2).toBlocking().single() }
        XCTAssertEqual(try Observable.of(1, 2, 3).toBlocking().single { $0 == 2 }, 2)
        assertThrows(RxError.noElements) { try Observable.of(1, 2).toBlocking().single { $0 == 9 } }
        assertThrows(RxError.moreThanOneElement) { try Observable.of(1, 2, 3).toBlocking().single { $0 > 1 } }
        assertThrows(TestError.one) { try Observable.of(1, 2).toBlocking().single { _ in throw TestError.one } }
        let open = Observable.of(1, 2).concat(Observable.never())
        assertThrows(RxError.moreThanOneElement) { try open.toBlocking(timeout: 10).single() }
    }

    func testMaterialize() {
        switch Observable.of(1, 2).toBlocking().materialize() {
        case .completed(let elements): XCTAssertEqual(elements, [1, 2])
        case .failed: XCTFail("The stream completed.")
        }
        switch Observable.of(1, 2).concat(Observable.error(TestError.one)).toBlocking().materialize() {
        case .completed: XCTFail("The stream failed.")
        case .failed(let elements, let error):
            XCTAssertEqual(elements, [1, 2])
            XCTAssertEqual(error as? TestError, .one)
        }
    }

    func testTraits() throws {
        XCTAssertEqual(try Single.just(1).toBlocking().single(), 1)
        XCTAssertEqual(try Single.just(1).toBlocking().first(), 1)
        XCTAssertNil(try Maybe<Int>.empty().toBlocking().first())
        XCTAssertNil(try Completable.empty().toBlocking().last())
        assertThrows(TestError.one) { _ = try Completable.error(TestError.one).toBlocking().toArray() }
        XCTAssertEqual(try BehaviorRelay(value: 3).toBlocking().first(), 3)
    }

    func testTimeoutsDisposeAndKeepWhatCame() {
        var disposed = false
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            return Disposables.create { disposed = true }
        }
        assertThrows(RxError.timeout) { try source.toBlocking(timeout: 0.02).toArray() }
        XCTAssertTrue(disposed)
        assertThrows(RxError.timeout) { try Observable<Int>.never().toBlocking(timeout: 0).first() }
        assertThrows(RxError.timeout) { try Observable<Int>.never().toBlocking(timeout: -1).first() }
        XCTAssertEqual(try source.toBlocking(timeout: 0).first(), 1)
        guard case .failed(let elements, let error) = source.toBlocking(timeout: 0.02).materialize() else {
            return XCTFail("The stream does not end.")
        }
        XCTAssertEqual(elements, [1])
        XCTAssertEqual("\(error)", "\(RxError.timeout)")
    }

    func testAStreamWithoutAnEndOnTheCurrentThread() throws {
        let endless = Observable.range(start: 0, count: .max)
        XCTAssertEqual(try endless.toBlocking(timeout: 10).first(), 0)
        XCTAssertEqual(try endless.filter { $0 % 7 == 6 }.toBlocking(timeout: 10).first(), 6)
        assertThrows(RxError.timeout) { try endless.toBlocking(timeout: 0.05).last() }
    }

    func testTheSubscriptionIsOverBeforeTheAnswer() throws {
        let subject = BehaviorSubject(value: 1)
        XCTAssertEqual(try subject.toBlocking().first(), 1)
        XCTAssertFalse(subject.hasObservers)
        assertThrows(RxError.timeout) { try subject.toBlocking(timeout: 0.01).last() }
        XCTAssertFalse(subject.hasObservers)
    }

    func testWaitingInsideAWait() throws {
        let inner = Observable.of(1, 2, 3).subscribe(on: background)
        let outer = Observable<Int>.create { observer in
            DispatchQueue.global().async {
                observer.onNext((try? inner.toBlocking(timeout: 10).toArray().reduce(0, +)) ?? -1)
                observer.onCompleted()
            }
            return Disposables.create()
        }
        XCTAssertEqual(try outer.toBlocking(timeout: 10).toArray(), [6])
    }

    func testWaitingInsideAnEventOfTheSameThread() throws {
        let sums = Observable.of(1, 2).map { count in
            try Observable.range(start: 1, count: count * 2).toBlocking(timeout: 10).toArray().reduce(0, +)
        }
        XCTAssertEqual(try sums.toBlocking(timeout: 10).toArray(), [3, 10])
    }

    func testManyWaitsAtOnce() {
        let results = ReplaySubject<Int>.createUnbounded()
        DispatchQueue.concurrentPerform(iterations: 16) { number in
            let source = Observable.range(start: 0, count: 50).observe(on: self.background)
            let sum = (try? source.toBlocking(timeout: 10).toArray().reduce(number, +)) ?? -1
            results.onNext(sum)
        }
        results.onCompleted()
        XCTAssertEqual(try results.toBlocking().toArray().sorted(), (0..<16).map { $0 + 1225 })
    }
}
