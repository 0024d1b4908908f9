import Dispatch
import Foundation
import Rx
import RxTest
import XCTest

/// The names, labels and default arguments of RxSwift, written out so that the compiler checks them.
final class SurfaceTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testEnumerations() {
        let behaviors: [TakeBehavior] = [.inclusive, .exclusive]
        let scopes: [SubjectLifetimeScope] = [.whileConnected, .forever]
        let errors: [RxError] = [
            .unknown, .disposed(object: self), .overflow, .argumentOutOfRange, .noElements, .moreThanOneElement,
            .timeout,
        ]
        let comparisons: [VirtualTimeComparison] = [.lessThan, .equal, .greaterThan]
        XCTAssertEqual([behaviors.count, scopes.count, errors.count, comparisons.count], [2, 2, 7, 3])
        let interval: RxTimeInterval = .milliseconds(5)
        let time: RxTime = Date(timeIntervalSince1970: 0)
        XCTAssertEqual(interval, DispatchTimeInterval.milliseconds(5))
        XCTAssertEqual(time.timeIntervalSince1970, 0)
    }

    func testEvents() {
        let next = Event<Int>.next(1)
        let error = Event<Int>.error(RxError.timeout)
        let completed = Event<Int>.completed
        XCTAssertEqual([next, error, completed].map(\.isStopEvent), [false, true, true])
        XCTAssertEqual([next, error, completed].map(\.isCompleted), [false, false, true])
        XCTAssertEqual(next.element, 1)
        XCTAssertNil(completed.element)
        XCTAssertNotNil(error.error)
        XCTAssertEqual(next.map { $0 * 2 }, .next(2))
        XCTAssertEqual(next.map { _ -> Int in throw RxError.timeout }, .error(RxError.timeout))
        XCTAssertEqual("\(next) \(error.debugDescription) \(completed)", "next(1) error(Sequence timeout.) completed")
        let convertible: Event<Int> = next.event
        XCTAssertEqual(convertible, next)
    }

    func testLabelsOfCreation() {
        let scheduler: ImmediateSchedulerType = CurrentThreadScheduler.instance
        let streams: [Observable<Int>] = [
            .just(1, scheduler: scheduler), .of(1, 2, scheduler: scheduler), .from([1], scheduler: scheduler),
            .from(optional: 1), .range(start: 0, count: 2, scheduler: scheduler), .empty(), .never(),
            .error(RxError.unknown),
            .deferred { .just(1) }, .create { _ in Disposables.create() },
            .interval(.seconds(1), scheduler: self.scheduler), .timer(.seconds(1), scheduler: self.scheduler),
            .timer(.seconds(1), period: .seconds(1), scheduler: self.scheduler),
            .repeatElement(1, scheduler: scheduler),
            .generate(initialState: 0, condition: { $0 < 3 }, scheduler: scheduler, iterate: { $0 + 1 }),
            .using({ BooleanDisposable() }, observableFactory: { _ in .just(1) }),
        ]
        XCTAssertEqual(streams.count, 16)
    }

    func testLabelsOfOperators() {
        let a = Observable.just(1)
        let streams: [Observable<Int>] = [
            a.take(1), a.take(for: .seconds(1), scheduler: scheduler), a.take(until: a),
            a.take(until: { _ in true }, behavior: .inclusive), a.take(while: { _ in true }, behavior: .exclusive),
            a.takeLast(1), a.skip(1), a.skip(for: .seconds(1), scheduler: scheduler), a.skip(while: { _ in true }),
            a.skip(until: a), a.element(at: 0), a.single(), a.single({ _ in true }),
            a.throttle(.seconds(1), latest: true, scheduler: scheduler), a.debounce(.seconds(1), scheduler: scheduler),
            a.sample(a), a.sample(a, defaultValue: 1), a.amb(a), a.startWith(1, 2),
            a.delay(.seconds(1), scheduler: scheduler), a.delaySubscription(.seconds(1), scheduler: scheduler),
            a.timeout(.seconds(1), scheduler: scheduler), a.timeout(.seconds(1), other: a, scheduler: scheduler),
            a.catch { _ in .just(1) }, a.catchAndReturn(1), a.retry(), a.retry(1), .catch(sequence: [a]),
            a.observe(on: MainScheduler.instance), a.subscribe(on: MainScheduler.asyncInstance),
            a.ifEmpty(default: 1), a.ifEmpty(switchTo: a),
            a.debug("a", trimOutput: false, file: "f", line: 1, function: "g"),
            a.share(replay: 1, scope: .forever), a.publish().refCount(), a.replay(1).refCount(),
            a.replayAll().refCount(),
            a.do(onNext: nil, onError: nil, onCompleted: nil, onSubscribe: nil, onSubscribed: nil, onDispose: nil),
            a.scan(0, accumulator: { $0 + $1 }), a.scan(into: 0, accumulator: { $0 += $1 }),
            a.reduce(0, accumulator: { $0 + $1 }), a.reduce(0, accumulator: { $0 + $1 }, mapResult: { $0 }),
            a.withLatestFrom(a, resultSelector: { $0 + $1 }), a.withLatestFrom(a),
            a.withUnretained(self, resultSelector: { $1 }), a.concatMap { Observable.just($0) },
            a.flatMapFirst { Observable.just($0) }, a.distinctUntilChanged({ $0 }), a.distinctUntilChanged(comparer),
            Observable.combineLatest([a, a], resultSelector: { $0[0] }),
            Observable.zip([a, a], resultSelector: { $0[0] }),
            Observable.combineLatest(a, a, resultSelector: { $0 + $1 }),
            Observable.zip(a, a, resultSelector: { $0 + $1 }),
            Observable.merge([a]), Observable.of(a).merge(maxConcurrent: 1), Observable.amb([a]),
        ]
        let windows: Observable<Observable<Int>> = a.window(timeSpan: .seconds(1), count: 1, scheduler: scheduler)
        let buffers: Observable<[Int]> = a.buffer(timeSpan: .seconds(1), count: 1, scheduler: scheduler)
        let groups: Observable<GroupedObservable<Int, Int>> = a.groupBy(keySelector: { $0 })
        let pairs: Observable<(index: Int, element: Int)> = a.enumerated()
        XCTAssertEqual(streams.count, 56)
        _ = (windows, buffers, groups, pairs)
    }

    private func comparer(_ lhs: Int, _ rhs: Int) -> Bool { lhs == rhs }

    func testSchedulersAreMade() {
        let queue = DispatchQueue(label: "surface")
        let schedulers: [SchedulerType] = [
            SerialDispatchQueueScheduler(internalSerialQueueName: "a"),
            SerialDispatchQueueScheduler(internalSerialQueueName: "a", serialQueueConfiguration: { _ in }),
            SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "a"),
            SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "a", leeway: .nanoseconds(1)),
            SerialDispatchQueueScheduler(qos: .default),
            SerialDispatchQueueScheduler(qos: .default, internalSerialQueueName: "a"),
            ConcurrentDispatchQueueScheduler(queue: queue), ConcurrentDispatchQueueScheduler(qos: .default),
            ConcurrentDispatchQueueScheduler(qos: .default, leeway: .nanoseconds(1)), MainScheduler(),
            MainScheduler.instance, MainScheduler.asyncInstance,
        ]
        XCTAssertEqual(schedulers.count, 12)
        for scheduler in schedulers { XCTAssertLessThan(abs(scheduler.now.timeIntervalSinceNow), 60) }
    }

    func testPeriodicAndRecursiveWork() {
        var ticks: [Int] = []
        let periodic = scheduler.schedulePeriodic(0, startAfter: .seconds(10), period: .seconds(20)) { state -> Int in
            ticks.append(state)
            return state + 1
        }
        scheduler.scheduleAt(55) { periodic.dispose() }
        let recursive = scheduler.scheduleRecursive(2) { state, recurse in
            ticks.append(-state)
            if state > 0 { recurse(state - 1) }
        }
        scheduler.start()
        recursive.dispose()
        XCTAssertEqual(ticks, [-2, -1, 0, 0, 1, 2])
    }
}
