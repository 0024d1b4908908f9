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

    func testWaitingForTheMainThread() throws {
        XCTAssertTrue(Thread.isMainThread)
        let number = Observable<Int>.create { observer in
            DispatchQueue.main.async {
                observer.onNext(1)
                observer.onCompleted()
            }
            return Disposables.create()
        }
        // If this wait times out, it throws and ends the test. The next wait has no limit and would block forever.
        let first = try number.toBlocking(timeout: 10).toArray()
        XCTAssertEqual(first, [1])
        XCTAssertEqual(try number.toBlocking().single(), 1)
        for scheduler in [MainScheduler.instance, MainScheduler.asyncInstance, ConcurrentMainScheduler.instance]
            as [SchedulerType]
        {
            let ticks = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(3)
            XCTAssertEqual(try ticks.toBlocking(timeout: 10).toArray(), [0, 1, 2])
            let there = Observable.range(start: 0, count: 100).subscribe(on: background).observe(on: scheduler)
                .map { value -> Int in
                    XCTAssertTrue(Thread.isMainThread)
                    return value
                }
            XCTAssertEqual(try there.toBlocking(timeout: 10).toArray(), Array(0..<100))
            XCTAssertEqual(try there.toBlocking(timeout: 10).first(), 0)
            let failing = there.take(2).concat(Observable.error(TestError.one).observe(on: scheduler))
            assertThrows(TestError.one) { try failing.toBlocking(timeout: 10).last() }
        }
    }

    func testTimersOfTheMainRunLoop() throws {
        let fired = Single<Int>.create { observer in
            let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in observer(.success(1)) }
            return Disposables.create { timer.invalidate() }
        }
        XCTAssertEqual(try fired.toBlocking(timeout: 10).single(), 1)
    }

    func testATimeoutOnTheMainThreadWhileTheMainQueueIsBusy() {
        let busy = Observable<Int>.interval(.milliseconds(1), scheduler: MainScheduler.instance)
        assertThrows(RxError.timeout) { try busy.toBlocking(timeout: 0.05).last() }
        assertThrows(RxError.timeout) { try Observable<Int>.never().toBlocking(timeout: 0.02).last() }
    }

    func testAnotherThreadWaitsWhileTheMainThreadDoes() throws {
        let onMain = Observable.just(1, scheduler: MainScheduler.asyncInstance)
        let elsewhere = Single<Int>.create { observer in
            DispatchQueue.global().async {
                observer(Result { try onMain.toBlocking(timeout: 10).single() + 1 })
            }
            return Disposables.create()
        }
        XCTAssertEqual(try elsewhere.toBlocking(timeout: 10).single(), 2)
    }

    /// The source of the outer wait ends while the inner wait runs the run loop.
    func testAWaitInsideATimerOfAWait() throws {
        let outer = PublishSubject<Int>()
        var timer: Timer?
        let source = Observable<Int>.create { observer in
            timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
                let inner = Observable<Int>.timer(.milliseconds(20), scheduler: MainScheduler.asyncInstance)
                DispatchQueue.global().async { outer.onCompleted() }
                XCTAssertEqual(try? inner.toBlocking(timeout: 10).toArray(), [0])
                assertTimeout { try Observable<Int>.never().toBlocking(timeout: 0.02).first() }
            }
            return outer.subscribe(observer)
        }
        func assertTimeout(_ work: () throws -> Int?) { assertThrows(RxError.timeout) { try work() } }
        XCTAssertEqual(try source.toBlocking(timeout: 10).toArray(), [])
        XCTAssertEqual(timer?.isValid, false)
    }

    /// Work on the main queue cannot wait for later work on it, because the queue runs one item at a time.
    func testAWaitInsideWorkOfTheMainQueue() throws {
        let inside = Single<Int>.create { observer in
            DispatchQueue.main.async {
                self.assertThrows(RxError.timeout) {
                    try Observable.just(1, scheduler: MainScheduler.asyncInstance).toBlocking(timeout: 0.02).first()
                }
                let elsewhere = Observable.just(1).delay(.milliseconds(10), scheduler: self.background)
                observer(Result { try elsewhere.toBlocking(timeout: 10).single() })
            }
            return Disposables.create()
        }
        XCTAssertEqual(try inside.toBlocking(timeout: 10).single(), 1)
    }

    func testAWaitLeavesARunLoopOfTheUserAlone() throws {
        XCTAssertEqual(try Observable.just(1).delay(.milliseconds(1), scheduler: background).toBlocking().single(), 1)
        var rounds = 0
        let until = Date(timeIntervalSinceNow: 0.05)
        while until.timeIntervalSinceNow > 0 {
            _ = RunLoop.main.run(mode: .default, before: until)
            rounds += 1
        }
        XCTAssertLessThan(rounds, 50)
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
