import Rx
import RxTest
import XCTest

private enum TestError: Error { case one, two }

/// If the closure of an operator throws, the operator fails with this error and disposes of its source.
final class ThrowingSelectorTests: XCTestCase {
    private var scheduler = TestScheduler(initialClock: 0)

    private func fails<Result>(
        after elements: [Int] = [], at time: Int = 220, line: UInt = #line,
        _ make: @escaping (TestableObservable<Int>) -> Observable<Result>
    ) {
        scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3), .completed(250)])
        let result = scheduler.start { make(source) }
        guard let last = result.events.last else { return XCTFail("No event came.", line: line) }
        XCTAssertEqual(last.time, time, line: line)
        XCTAssertEqual(last.value.error as? TestError, .one, line: line)
        XCTAssertEqual(source.subscriptions, [Subscription(200, time)], line: line)
    }

    private func fuse(_ value: Int) throws -> Int {
        if value == 2 { throw TestError.one }
        return value
    }

    func testTransformations() {
        fails { $0.map { try self.fuse($0) } }
        fails { $0.compactMap { try self.fuse($0) } }
        fails { $0.flatMap { Observable.just(try self.fuse($0)) } }
        fails { $0.flatMapFirst { Observable.just(try self.fuse($0)) } }
        fails { $0.flatMapLatest { Observable.just(try self.fuse($0)) } }
        fails { $0.concatMap { Observable.just(try self.fuse($0)) } }
        fails { $0.scan(0) { try self.fuse($0 * 0 + $1) } }
        fails { $0.scan(into: 0) { $0 = try self.fuse($1) } }
        fails { $0.reduce(0) { try self.fuse($0 * 0 + $1) } }
        fails(at: 250) { $0.reduce(0, accumulator: +, mapResult: { _ -> Int in throw TestError.one }) }
    }

    func testFilters() {
        fails { $0.filter { try self.fuse($0) > 0 } }
        fails { $0.take(while: { try self.fuse($0) > 0 }) }
        fails { $0.take(while: { try self.fuse($0) > 0 }, behavior: .inclusive) }
        fails { $0.take(until: { try self.fuse($0) > 9 }) }
        fails { $0.take(until: { try self.fuse($0) > 9 }, behavior: .inclusive) }
        fails { $0.skip(while: { try self.fuse($0) > 0 }) }
        fails { $0.distinctUntilChanged { try self.fuse($0) } }
        fails { $0.distinctUntilChanged { _, new in try self.fuse(new) == 0 } }
        fails { $0.distinctUntilChanged({ $0 }, comparer: { _, new in try self.fuse(new) == 0 }) }
        fails { $0.single { try self.fuse($0) > 9 } }
    }

    func testEffects() {
        fails { $0.do(onNext: { _ = try self.fuse($0) }) }
        fails { $0.do(afterNext: { _ = try self.fuse($0) }) }
        fails(at: 250) { $0.do(onCompleted: { throw TestError.one }) }
    }

    func testCombinations() {
        let one = Observable.just(0).concat(Observable.never())
        fails { $0.withLatestFrom(one) { value, _ in try self.fuse(value) } }
        fails { Observable.combineLatest($0, one) { value, _ in try self.fuse(value) } }
        fails { Observable.zip($0, Observable.of(1, 2, 3, 4)) { value, _ in try self.fuse(value) } }
        fails { Observable.zip([$0.asObservable(), .of(1, 2, 3, 4)]) { try self.fuse($0[0]) } }
        fails { Observable.combineLatest([$0.asObservable(), one]) { try self.fuse($0[0]) } }
    }

    func testCreation() {
        let deferred = scheduler.start { Observable<Int>.deferred { throw TestError.one } }
        XCTAssertEqual(deferred.events, [.error(200, TestError.one)])
        let scheduler = TestScheduler(initialClock: 0)
        let using = scheduler.start {
            Observable<Int>.using(
                { () -> BooleanDisposable in throw TestError.one }, observableFactory: { _ in .just(1) })
        }
        XCTAssertEqual(using.events, [.error(200, TestError.one)])
        let resource = BooleanDisposable()
        let again = TestScheduler(initialClock: 0)
        let made = again.start {
            Observable<Int>.using({ resource }, observableFactory: { _ in throw TestError.two })
        }
        XCTAssertEqual(made.events, [.error(200, TestError.two)])
        XCTAssertTrue(resource.isDisposed)
    }

    func testErrorHandlers() {
        scheduler = TestScheduler(initialClock: 0)
        let caught = scheduler.start {
            Observable<Int>.error(TestError.one).catch { _ in throw TestError.two }
        }
        XCTAssertEqual(caught.events, [.error(200, TestError.two)])
        let again = TestScheduler(initialClock: 0)
        let hook = again.start { Observable<Int>.error(TestError.one).do(onError: { _ in throw TestError.two }) }
        XCTAssertEqual(hook.events, [.error(200, TestError.two)])
    }

    func testGroupsSharesAndLoops() {
        let shared = scheduler.start {
            Observable.just(1).multicast(
                { PublishSubject<Int>() }, selector: { _ -> Observable<Int> in throw TestError.one })
        }
        XCTAssertEqual(shared.events.last?.value.error as? TestError, .one)
        let subject = scheduler.start {
            Observable.just(1).multicast({ () -> PublishSubject<Int> in throw TestError.two }, selector: { $0 })
        }
        XCTAssertEqual(subject.events.last?.value.error as? TestError, .two)
        fails { $0.groupBy { try self.fuse($0) }.merge() }
        let generated = scheduler.start {
            Observable.generate(
                initialState: 0, condition: { _ in true }, scheduler: CurrentThreadScheduler.instance,
                iterate: { _ in throw TestError.one })
        }
        XCTAssertEqual(generated.events.last?.value.error as? TestError, .one)
        let bad = scheduler.start {
            Observable<Int>.generate(initialState: 0, condition: { _ in throw TestError.two }, iterate: { $0 })
        }
        XCTAssertEqual(bad.events.last?.value.error as? TestError, .two)
    }
}
