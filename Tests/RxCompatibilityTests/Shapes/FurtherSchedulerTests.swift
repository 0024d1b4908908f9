import Foundation
import Rx
import RxTest
import XCTest

/// Schedulers with a start date in the past, the concurrent main queue, and scheduled disposal.
final class FurtherSchedulerTests: XCTestCase {
    private let bag = DisposeBag()

    func testSchedulers() {
        let main: ConcurrentMainScheduler = .instance
        let before = Date(timeIntervalSince1970: 100)
        let historical = HistoricalScheduler(initialClock: before)
        var times: [Date] = []
        Observable<Int>.timer(.seconds(5), scheduler: historical)
            .subscribe(onNext: { _ in times.append(historical.clock) }).disposed(by: bag)
        historical.start()
        XCTAssertEqual(times, [before.addingTimeInterval(5)])
        XCTAssertEqual(try Observable.just(1).subscribe(on: main).toBlocking(timeout: 60).single(), 1)
        MainScheduler.ensureRunningOnMainThread()
    }

    func testVirtualWorkAtAnAbsoluteTime() {
        let scheduler = TestScheduler(initialClock: 0)
        var times: [Int] = []
        let work = scheduler.scheduleAbsoluteVirtual((), time: 50) { _ in
            times.append(scheduler.clock)
            return Disposables.create()
        }
        scheduler.start()
        work.dispose()
        XCTAssertEqual(times, [50])
    }

    func testDisposables() {
        let scheduler = TestScheduler(initialClock: 0)
        let inner = BooleanDisposable()
        let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: inner)
        scheduled.dispose()
        XCTAssertFalse(inner.isDisposed)
        scheduler.start()
        XCTAssertTrue(inner.isDisposed)
        XCTAssertTrue(BooleanDisposable(isDisposed: true).isDisposed)
        let all = (0..<5).map { _ in BooleanDisposable() }
        CompositeDisposable(all[0], all[1], all[2], all[3], all[4]).dispose()
        XCTAssertTrue(all.allSatisfy(\.isDisposed))
    }

    func testAnyObserverIsMapped() {
        let subject = PublishSubject<Int>()
        var heard: [Int] = []
        subject.subscribe(onNext: { heard.append($0) }).disposed(by: bag)
        Observable.of("1", "22").subscribe(subject.mapObserver { (text: String) in text.count }).disposed(by: bag)
        XCTAssertEqual(heard, [1, 2])
    }
}

/// A virtual time that is not `Comparable`, so that only the converter can compare it.
private struct Instant { let ticks: Int }

private struct InstantConverter: VirtualTimeConverterType {
    func convertFromVirtualTime(_ virtualTime: Instant) -> RxTime {
        Date(timeIntervalSince1970: Double(virtualTime.ticks))
    }
    func convertToVirtualTime(_ time: RxTime) -> Instant { Instant(ticks: Int(time.timeIntervalSince1970)) }
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval { Double(virtualTimeInterval) }
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int { Int(timeInterval) }
    func offsetVirtualTime(_ time: Instant, offset: Int) -> Instant { Instant(ticks: time.ticks + offset) }
    func compareVirtualTime(_ lhs: Instant, _ rhs: Instant) -> VirtualTimeComparison {
        lhs.ticks < rhs.ticks ? .lessThan : lhs.ticks == rhs.ticks ? .equal : .greaterThan
    }
}

final class IncomparableTimeTests: XCTestCase {
    func testTheConverterCompares() {
        let scheduler = VirtualTimeScheduler(initialClock: Instant(ticks: 0), converter: InstantConverter())
        var log: [Int] = []
        for delay in [30, 10, 20] {
            _ = scheduler.scheduleRelative((), dueTime: .seconds(delay)) { _ in
                log.append(scheduler.clock.ticks)
                return Disposables.create()
            }
        }
        scheduler.start()
        XCTAssertEqual(log, [10, 20, 30])
    }
}
