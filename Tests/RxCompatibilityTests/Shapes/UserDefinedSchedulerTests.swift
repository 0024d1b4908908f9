import Dispatch
import Foundation
import Rx
import RxTest
import XCTest

/// A disposable that a user has written.
private class CountingDisposable: Disposable {
    var count = 0
    func dispose() { count += 1 }
}

/// A cancelable that a user has written.
private final class Switch: Cancelable {
    var isDisposed = false
    func dispose() { isDisposed = true }
}

/// A scheduler that runs all work immediately, as many users write it for tests.
private final class Inline: ImmediateSchedulerType {
    var count = 0
    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        count += 1
        return action(state)
    }
}

/// A scheduler that stores its work until `advance(to:)` is called.
///
/// The default implementation in an extension of `SchedulerType` adds periodic work.
private class Manual: SchedulerType {
    var time = 0.0
    private var work: [(due: Double, run: () -> Void)] = []

    var now: RxTime { Date(timeIntervalSinceReferenceDate: time) }

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        scheduleRelative(state, dueTime: .seconds(0), action: action)
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> Disposable
    ) -> Disposable {
        let cancel = SingleAssignmentDisposable()
        guard case .seconds(let seconds) = dueTime else { fatalError("Seconds only.") }
        work.append(
            (due: time + Double(seconds), run: { if !cancel.isDisposed { cancel.setDisposable(action(state)) } }))
        return cancel
    }

    func advance(to end: Double) {
        while let index = work.indices.min(by: { work[$0].due < work[$1].due }), work[index].due <= end {
            let item = work.remove(at: index)
            time = max(time, item.due)
            item.run()
        }
        time = end
    }
}

/// A clock that counts in tenths of a second.
private struct Tenths: VirtualTimeConverterType {
    typealias VirtualTimeUnit = Int
    typealias VirtualTimeIntervalUnit = Int

    func convertFromVirtualTime(_ virtualTime: Int) -> RxTime { Date(timeIntervalSince1970: Double(virtualTime) / 10) }
    func convertToVirtualTime(_ time: RxTime) -> Int { Int(time.timeIntervalSince1970 * 10 + 0.5) }
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval { Double(virtualTimeInterval) / 10 }
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int { Int(timeInterval * 10 + 0.5) }
    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }
    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : (lhs > rhs ? .greaterThan : .equal)
    }
}

private class TenthsScheduler: VirtualTimeScheduler<Tenths> {
    init(initialClock: Int = 0) { super.init(initialClock: initialClock, converter: Tenths()) }
    override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { max(time, clock) }
}

final class UserDefinedSchedulerTests: XCTestCase {
    func testAnOwnDisposableIsHeldAndDisposedOf() {
        let counting = CountingDisposable()
        do {
            let bag = DisposeBag()
            counting.disposed(by: bag)
        }
        XCTAssertEqual(counting.count, 1)
        let serial = SerialDisposable()
        serial.disposable = counting
        serial.disposable = Disposables.create()
        XCTAssertEqual(counting.count, 2)
        let group = CompositeDisposable()
        let key = group.insert(counting)!
        group.remove(for: key)
        XCTAssertEqual(counting.count, 3)
        Observable<Int>.create { _ in counting }.subscribe().dispose()
        XCTAssertEqual(counting.count, 4)
    }

    func testAnOwnCancelable() {
        let cancelable: Cancelable = Switch()
        Observable<Int>.never().subscribe().dispose()
        Disposables.create(cancelable, Disposables.create()).dispose()
        XCTAssertTrue(cancelable.isDisposed)
    }

    func testAResourceOfOnesOwnIsUsed() {
        let made = CountingDisposable()
        let stream = Observable.using({ made }, observableFactory: { _ in Observable.of(1, 2) })
        var heard: [Int] = []
        _ = stream.subscribe(onNext: { heard.append($0) })
        XCTAssertEqual(heard, [1, 2])
        XCTAssertEqual(made.count, 1)
    }

    func testAnOwnImmediateScheduler() {
        let scheduler = Inline()
        var heard: [Int] = []
        _ = Observable.of(1, 2, scheduler: scheduler).observe(on: scheduler).subscribe(on: scheduler)
            .subscribe(onNext: { heard.append($0) })
        XCTAssertEqual(heard, [1, 2])
        XCTAssertGreaterThan(scheduler.count, 3)
    }

    func testAnOwnSchedulerRunsTimers() {
        let scheduler = Manual()
        var heard: [Int] = []
        let subscription = Observable<Int>.interval(.seconds(10), scheduler: scheduler)
            .subscribe(onNext: { heard.append($0) })
        scheduler.advance(to: 35)
        subscription.dispose()
        scheduler.advance(to: 100)
        XCTAssertEqual(heard, [0, 1, 2])
        XCTAssertEqual(scheduler.now, Date(timeIntervalSinceReferenceDate: 100))
    }

    func testAnOwnSchedulerDelaysAndTimesOut() {
        let scheduler = Manual()
        let source = PublishSubject<Int>()
        var log: [String] = []
        _ = source.delay(.seconds(5), scheduler: scheduler).timeout(.seconds(10), scheduler: scheduler)
            .subscribe(
                onNext: { log.append("\(scheduler.time) \($0)") }, onError: { log.append("\(scheduler.time) \($0)") })
        source.onNext(1)
        scheduler.advance(to: 100)
        XCTAssertEqual(log.count, 2)
        XCTAssertEqual(log.first, "5.0 1")
        XCTAssertEqual(log.last?.hasPrefix("15.0"), true)
    }

    func testAnOwnVirtualTime() {
        let scheduler = TenthsScheduler()
        var log: [Int] = []
        _ = scheduler.scheduleAbsoluteWork(at: 30) { log.append(scheduler.clock) }
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(500)) { _ in
            log.append(scheduler.clock)
            return Disposables.create()
        }
        _ = Observable<Int>.timer(.seconds(1), scheduler: scheduler).subscribe(onNext: { _ in
            log.append(scheduler.clock)
        })
        scheduler.advanceTo(12)
        XCTAssertEqual(log, [5, 10])
        XCTAssertEqual(scheduler.clock, 12)
        scheduler.start()
        XCTAssertEqual(log, [5, 10, 30])
        XCTAssertEqual(scheduler.now, Date(timeIntervalSince1970: 3))
    }
}

extension VirtualTimeScheduler {
    /// Schedules work at an absolute time. This is a user's extension of the open class.
    fileprivate func scheduleAbsoluteWork(at time: VirtualTime, _ work: @escaping () -> Void) -> Disposable {
        scheduleVirtual((), time: time) { _ in
            work()
            return Disposables.create()
        }
    }
}
