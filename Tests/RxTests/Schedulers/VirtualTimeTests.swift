import Dispatch
import Rx
import RxTest
import Testing

@Suite struct VirtualTimeTests {
    @Test func workOfOneTimeRunsInOrder() {
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

    @Test func workForAPastTimeRunsNext() {
        let scheduler = TestScheduler(initialClock: 100)
        let log = Log<Int>()
        scheduler.scheduleAt(10) { log.add(scheduler.clock) }
        _ = scheduler.scheduleRelative((), dueTime: .seconds(-5)) { _ in
            log.add(scheduler.clock)
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.all == [101, 101])
    }

    @Test func workThatWasTakenBackDoesNotMoveTheClock() {
        let scheduler = TestScheduler(initialClock: 0)
        scheduler.scheduleRelative((), dueTime: .seconds(50)) { _ in Disposables.create() }.dispose()
        scheduler.start()
        #expect(scheduler.clock == 0)
    }
}
