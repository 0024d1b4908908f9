import Dispatch
import Rx
import Testing

@Suite struct QueueSchedulerTests {
    @Test func nestedWorkOfTheCurrentThreadRunsAfterwards() {
        let log = Log<Int>()
        #expect(CurrentThreadScheduler.isScheduleRequired)
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            _ = CurrentThreadScheduler.instance.schedule(()) { _ in
                log.add(2)
                return Disposables.create()
            }
            log.add(1)
            return Disposables.create()
        }
        #expect(log.all == [1, 2])
        #expect(CurrentThreadScheduler.isScheduleRequired)
    }

    @Test func aSerialSchedulerKeepsTheOrder() {
        let scheduler = SerialDispatchQueueScheduler(queue: .global(), internalSerialQueueName: "order")
        let log = Log<Int>()
        let done = DispatchSemaphore(value: 0)
        for number in 0..<100 {
            _ = scheduler.schedule(number) { number in
                log.add(number)
                if number == 99 { done.signal() }
                return Disposables.create()
            }
        }
        done.wait()
        #expect(log.all == Array(0..<100))
    }

    // This test uses the real clock, because it tests the timers of a queue, with their shortest times.
    @Test func aTimerOnAQueueFiresAndACancelledOneDoesNot() {
        let queue = DispatchQueue(label: "timers")
        let scheduler = ConcurrentDispatchQueueScheduler(queue: queue)
        let done = DispatchSemaphore(value: 0)
        let log = Log<Int>()
        scheduler.scheduleRelative((), dueTime: .seconds(600)) { _ in
            log.add(1)
            return Disposables.create()
        }.dispose()
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(2)) { _ in
            log.add(2)
            done.signal()
            return Disposables.create()
        }
        done.wait()
        let ticks = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(3)
            .subscribe(onNext: { log.add(10 + $0) }, onCompleted: { done.signal() })
        done.wait()
        ticks.dispose()
        #expect(log.all == [2, 10, 11, 12])
    }

    @Test func eachRecursiveRunIsScheduledSeparately() {
        let log = Log<Int>()
        _ = CurrentThreadScheduler.instance.scheduleRecursive(0) { number, again in
            log.add(number)
            if number < 3 { again(number + 1) }
        }
        #expect(log.all == [0, 1, 2, 3])
    }
}
