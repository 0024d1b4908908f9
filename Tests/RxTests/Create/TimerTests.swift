import Dispatch
import Rx
import RxTest
import Testing

@Suite struct TimerTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func intervalCountsUntilDisposal() {
        let scheduler = scheduler
        let result = scheduler.start(disposed: 360) {
            Observable<Int>.interval(.seconds(50), scheduler: scheduler)
        }
        #expect(result.events == [.next(250, 0), .next(300, 1), .next(350, 2)])
    }

    /// In virtual time, a period of zero or less takes one tick.
    @Test(arguments: [0, -5])
    func anIntervalOfZeroOrLessSendsANumberEachTick(_ seconds: Int) {
        let scheduler = scheduler
        let result = scheduler.start(disposed: 204) {
            Observable<Int>.interval(.seconds(seconds), scheduler: scheduler)
        }
        #expect(result.events == [.next(201, 0), .next(202, 1), .next(203, 2)])
    }

    @Test func intervalEndsWhenDisposedOfInsideATick() {
        let scheduler = scheduler
        let result = scheduler.start {
            Observable<Int>.interval(.seconds(50), scheduler: scheduler).take(2)
        }
        #expect(result.events == [.next(250, 0), .next(300, 1), .completed(300)])
        #expect(scheduler.clock == 1000)
    }

    @Test func aTimerFiresOnce() {
        let scheduler = scheduler
        let result = scheduler.start { Observable<Int>.timer(.seconds(30), scheduler: scheduler) }
        #expect(result.events == [.next(230, 0), .completed(230)])
        let cut = scheduler.start(created: 1100, subscribed: 1200, disposed: 1220) {
            Observable<Int>.timer(.seconds(30), scheduler: scheduler)
        }
        #expect(cut.events.isEmpty)
        let past = scheduler.start(created: 2100, subscribed: 2200, disposed: 2300) {
            Observable<Int>.timer(.seconds(-30), scheduler: scheduler)
        }
        #expect(past.events == [.next(2201, 0), .completed(2201)])
    }

    @Test func aTimerWithAPeriodRepeats() {
        let scheduler = scheduler
        let result = scheduler.start(disposed: 260) {
            Observable<Int>.timer(.seconds(10), period: .seconds(20), scheduler: scheduler)
        }
        #expect(result.events == [.next(210, 0), .next(230, 1), .next(250, 2)])
    }

    @Test func aCounterContinuesWithTheSmallestNumber() {
        let scheduler = scheduler
        let result = scheduler.start(created: 0, subscribed: 0, disposed: 300) {
            Observable<UInt8>.interval(.seconds(1), scheduler: scheduler).skip(254)
        }
        #expect(result.elements.prefix(4) == [254, 255, 0, 1])
    }

    @Test func ticksCanBeMilliseconds() {
        let fine = TestScheduler(initialClock: 0, resolution: 0.001)
        let result = fine.start(disposed: 260) {
            Observable<Int>.interval(.milliseconds(25), scheduler: fine)
        }
        #expect(result.events == [.next(225, 0), .next(250, 1)])
    }

    /// A short interval on the real clock.
    @Test func anIntervalOnAQueueCountsUntilDisposal() {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "interval")
        let log = Log<Int>()
        let done = DispatchSemaphore(value: 0)
        _ = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(3)
            .subscribe(onNext: { log.add($0) }, onCompleted: { done.signal() })
        done.wait()
        #expect(log.all == [0, 1, 2])
    }

    /// On a real queue, a period of zero or less is as short as the queue permits.
    @Test(arguments: [0, -3])
    func anIntervalOfZeroOrLessOnAQueueCounts(_ seconds: Int) {
        let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "interval")
        let log = Log<Int>()
        let done = DispatchSemaphore(value: 0)
        _ = Observable<Int>.interval(.seconds(seconds), scheduler: scheduler).take(3)
            .subscribe(onNext: { log.add($0) }, onCompleted: { done.signal() })
        #expect(done.wait(timeout: .now() + 120) == .success)
        #expect(log.all == [0, 1, 2])
    }
}
