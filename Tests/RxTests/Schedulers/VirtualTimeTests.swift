import Dispatch
import Rx
import RxTest
import Testing

@Suite struct VirtualTimeTests {
    @Test func workOfTheSameTimeRunsInOrder() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<Int>()
        scheduler.scheduleAt(20) { log.add(3) }
        scheduler.scheduleAt(10) { log.add(1) }
        scheduler.scheduleAt(10) { log.add(2) }
        scheduler.advanceTo(15)
        #expect(log.all == [1, 2])
        #expect(scheduler.clock == 15)
        scheduler.advanceBy(5)
        #expect(log.all == [1, 2, 3])
        scheduler.advance(by: .seconds(10))
        #expect(scheduler.clock == 30)
    }

    /// Work for a past time runs next.
    ///
    /// Work with a relative time has the processing delay of one tick; work for a virtual tick has none.
    @Test func workForAPastTimeRunsNext() {
        let scheduler = TestScheduler(initialClock: 100)
        let log = Log<Int>()
        @Sendable func note(_ number: Int) -> any Disposable {
            log.add(number * 1000 + scheduler.clock)
            return Disposables.create()
        }
        _ = scheduler.scheduleRelative(1, dueTime: .seconds(-5), action: note)
        _ = scheduler.schedule(2, action: note)
        scheduler.scheduleAt(10) { _ = note(3) }
        _ = scheduler.scheduleRelativeVirtual(4, dueTime: -5, action: note)
        _ = scheduler.scheduleAbsoluteVirtual(5, time: 100, action: note)
        _ = scheduler.scheduleVirtual(6, time: 10, action: note)
        scheduler.start()
        #expect(log.all == [3100, 6100, 4100, 5100, 1101, 2101])
    }

    @Test("scheduleAt(0) runs at 0, even if the clock shows 0")
    func theFirstTickIsATime() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<Int>()
        scheduler.scheduleAt(0) { log.add(scheduler.clock) }
        scheduler.advanceTo(0)
        #expect(log.all == [0])
        scheduler.scheduleAt(0) { log.add(scheduler.clock) }
        scheduler.start()
        #expect(log.all == [0, 0])
    }

    @Test("A hot event of the current tick is sent at that tick")
    func hotEventsOfTheFirstTick() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(0, 1), .next(1, 2), .completed(1)] as [RecordedEvent<Int>])
        let observer = scheduler.createObserver(Int.self)
        _ = source.subscribe(observer)
        scheduler.start()
        #expect(observer.events == [.next(0, 1), .next(1, 2), .completed(1)])
        #expect(source.subscriptions == [Subscription(0)])
    }

    @Test("A cold event with distance 0 is sent at the tick of the subscription")
    func coldEventsOfTheFirstTick() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable(
            [.next(0, 1), .next(10, 2), .completed(10)] as [RecordedEvent<Int>])
        let result = scheduler.start { source }
        #expect(result.events == [.next(200, 1), .next(210, 2), .completed(210)])
        #expect(source.subscriptions == [Subscription(200, 210)])
    }

    @Test("Work for past ticks runs in order, without moving the clock")
    func ticksBeforeTheClock() {
        let scheduler = TestScheduler(initialClock: 500)
        let source = scheduler.createHotObservable(
            [.next(300, 3), .next(100, 1), .next(200, 2)] as [RecordedEvent<Int>])
        let observer = scheduler.createObserver(Int.self)
        _ = source.subscribe(observer)
        scheduler.start()
        #expect(observer.events == [.next(500, 1), .next(500, 2), .next(500, 3)])
    }

    @Test("Without a simulated processing delay, work for now runs at the current tick")
    func withoutProcessingDelay() {
        let scheduler = TestScheduler(initialClock: 7, simulateProcessingDelay: false)
        let log = Log<Int>()
        _ = scheduler.schedule(()) { _ in
            log.add(scheduler.clock)
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.all == [7])
    }

    @Test func cancelledWorkDoesNotMoveTheClock() {
        let scheduler = TestScheduler(initialClock: 0)
        scheduler.scheduleRelative((), dueTime: .seconds(50)) { _ in Disposables.create() }.dispose()
        scheduler.start()
        #expect(scheduler.clock == 0)
    }
}
