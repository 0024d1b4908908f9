import Dispatch
import Foundation
import Rx
import RxTest
import XCTest

private struct HundredthsConverter: VirtualTimeConverterType {
    typealias VirtualTimeUnit = Int
    typealias VirtualTimeIntervalUnit = Int

    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime {
        Date(timeIntervalSince1970: TimeInterval(virtualTime) * 0.01)
    }
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit { Int(time.timeIntervalSince1970 * 100 + 0.5) }
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval {
        TimeInterval(virtualTimeInterval) * 0.01
    }
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit {
        Int(timeInterval * 100 + 0.5)
    }
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit {
        time + offset
    }
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison {
        if lhs < rhs { return .lessThan } else if lhs > rhs { return .greaterThan } else { return .equal }
    }
}

private class HundredthsScheduler: VirtualTimeScheduler<HundredthsConverter> {
    init(initialClock: Int = 0) { super.init(initialClock: initialClock, converter: HundredthsConverter()) }
}

private final class Immediate: ImmediateSchedulerType {
    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        action(state)
    }
}

final class SchedulersSurface: ResourceCountingCase {
    func testMakersOfQueueSchedulers() {
        let queue = DispatchQueue(label: "surface")
        let serial: [SerialDispatchQueueScheduler] = [
            SerialDispatchQueueScheduler(internalSerialQueueName: "a"),
            SerialDispatchQueueScheduler(internalSerialQueueName: "b", leeway: .milliseconds(1)),
            SerialDispatchQueueScheduler(
                internalSerialQueueName: "c", serialQueueConfiguration: { (queue: DispatchQueue) in _ = queue.label },
                leeway: .nanoseconds(0)),
            SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "d"),
            SerialDispatchQueueScheduler(qos: .default),
            SerialDispatchQueueScheduler(qos: .background, internalSerialQueueName: "e", leeway: .nanoseconds(0)),
            MainScheduler.asyncInstance, MainScheduler.instance, MainScheduler(),
        ]
        let concurrent: [ConcurrentDispatchQueueScheduler] = [
            ConcurrentDispatchQueueScheduler(queue: queue), ConcurrentDispatchQueueScheduler(qos: .userInitiated),
            ConcurrentDispatchQueueScheduler(qos: .default, leeway: .milliseconds(1)),
        ]
        let all: [SchedulerType] = serial + concurrent + [ConcurrentMainScheduler.instance]
        let now = Date()
        for scheduler in all {
            let time: RxTime = scheduler.now
            XCTAssertLessThan(abs(time.timeIntervalSince(now)), 10)
        }
        MainScheduler.ensureExecutingOnScheduler()
        MainScheduler.ensureExecutingOnScheduler(errorMessage: "not here")
        MainScheduler.ensureRunningOnMainThread()
        MainScheduler.ensureRunningOnMainThread(errorMessage: "not here")
    }

    func testWorkOnAQueue() {
        let scheduler: SchedulerType = SerialDispatchQueueScheduler(qos: .default)
        var log: [Int] = []
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(1) { (state: Int) -> Disposable in
            log.append(state)
            return Disposables.create()
        }
        _ = scheduler.scheduleRelative(2, dueTime: .milliseconds(1)) { state in
            log.append(state)
            done.signal()
            return Disposables.create()
        }
        XCTAssertEqual(done.wait(timeout: .now() + 120), .success)
        let periodic = scheduler.schedulePeriodic(0, startAfter: .milliseconds(1), period: .milliseconds(1)) {
            (state: Int) -> Int in
            log.append(10 + state)
            if state == 2 { done.signal() }
            return state + 1
        }
        XCTAssertEqual(done.wait(timeout: .now() + 120), .success)
        periodic.dispose()
        let idle = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            idle.signal()
            return Disposables.create()
        }
        XCTAssertEqual(idle.wait(timeout: .now() + 120), .success)
        XCTAssertTrue(log.starts(with: [1, 2, 10, 11, 12]))
    }

    func testTheCurrentThread() {
        XCTAssertTrue(CurrentThreadScheduler.isScheduleRequired)
        var messages: [Int] = []
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            XCTAssertFalse(CurrentThreadScheduler.isScheduleRequired)
            messages.append(1)
            _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                messages.append(3)
                _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                    messages.append(5)
                    return Disposables.create()
                }
                messages.append(4)
                return Disposables.create()
            }
            messages.append(2)
            return Disposables.create()
        }
        XCTAssertEqual(messages, [1, 2, 3, 4, 5])
        XCTAssertTrue(CurrentThreadScheduler.isScheduleRequired)
    }

    func testRecursion() {
        var heard: [Int] = []
        let work: Disposable = Immediate().scheduleRecursive(0) { (state: Int, recurse: (Int) -> Void) in
            heard.append(state)
            if state < 3 { recurse(state + 1) }
        }
        work.dispose()
        XCTAssertEqual(heard, [0, 1, 2, 3])
        func step(_ state: Int, recurse: (Int) -> Void) {
            heard.append(state)
            if state > 0 { recurse(state - 1) }
        }
        _ = CurrentThreadScheduler.instance.scheduleRecursive(2, action: step)
        XCTAssertEqual(heard, [0, 1, 2, 3, 2, 1, 0])
    }

    func testAnOwnVirtualTime() {
        let scheduler = HundredthsScheduler(initialClock: 5)
        let clock: HundredthsScheduler.VirtualTime = scheduler.clock
        let interval: HundredthsScheduler.VirtualTimeInterval = 3
        XCTAssertEqual(clock, 5)
        var times: [Int] = []
        func note(_: Int) -> Disposable {
            times.append(scheduler.clock)
            return Disposables.create()
        }
        _ = scheduler.scheduleRelativeVirtual(0, dueTime: interval, action: note)
        _ = scheduler.scheduleAbsoluteVirtual(0, time: 20, action: note)
        _ = scheduler.scheduleRelative(0, dueTime: .milliseconds(100), action: note)
        _ = scheduler.schedule(0, action: note)
        let cancelled = scheduler.scheduleAbsoluteVirtual(0, time: 19, action: note)
        cancelled.dispose()
        scheduler.start()
        XCTAssertEqual(times, [5, 8, 15, 20])
        XCTAssertEqual(scheduler.now, Date(timeIntervalSince1970: 0.2))
        scheduler.advanceTo(50)
        XCTAssertEqual(scheduler.clock, 50)
    }

    func testAVirtualTimeIsStoppedAndGoesOn() {
        let scheduler = HundredthsScheduler()
        var times: [Int] = []
        for time in [10, 20, 30] {
            _ = scheduler.scheduleAbsoluteVirtual((), time: time) { _ in
                times.append(scheduler.clock)
                if time == 20 { scheduler.stop() }
                return Disposables.create()
            }
        }
        scheduler.start()
        XCTAssertEqual(times, [10, 20])
        scheduler.start()
        XCTAssertEqual(times, [10, 20, 30])
    }

    func testAVirtualTimeDescribesWhatIsDue() {
        let scheduler = HundredthsScheduler()
        _ = scheduler.scheduleAbsoluteVirtual((), time: 10) { _ in Disposables.create() }
        let text: String = scheduler.debugDescription
        XCTAssertTrue(text.contains("10"), text)
        let described: CustomDebugStringConvertible = scheduler
        scheduler.start()
        XCTAssertFalse(described.debugDescription.contains("10"))
    }

    func testHistory() {
        let scheduler = HistoricalScheduler()
        XCTAssertEqual(scheduler.clock, Date(timeIntervalSince1970: 0))
        var times: [TimeInterval] = []
        _ = scheduler.scheduleRelative((), dueTime: .seconds(10)) { _ in
            times.append(scheduler.clock.timeIntervalSince1970)
            return Disposables.create()
        }
        _ = scheduler.scheduleRelativeVirtual((), dueTime: 5) { _ in
            times.append(scheduler.clock.timeIntervalSince1970)
            return Disposables.create()
        }
        scheduler.start()
        XCTAssertEqual(times, [5, 10])
        XCTAssertEqual(HistoricalScheduler(initialClock: Date(timeIntervalSince1970: 7)).now.timeIntervalSince1970, 7)
        let converter: HistoricalSchedulerTimeConverter.VirtualTimeIntervalUnit = 1.5
        XCTAssertEqual(converter, 1.5)
    }

    func testPeriodsOfVirtualTime() {
        let scheduler = TestScheduler(initialClock: 0)
        var times: [Int] = []
        let disposable = scheduler.schedulePeriodic(0, startAfter: .seconds(10), period: .seconds(20)) { state in
            times.append(scheduler.clock)
            return state + 1
        }
        scheduler.scheduleAt(60) { disposable.dispose() }
        scheduler.start()
        XCTAssertEqual(times, [10, 30, 50])
    }
}
