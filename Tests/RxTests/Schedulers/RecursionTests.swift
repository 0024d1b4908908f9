import Dispatch
import FoundationEssentials
import Rx
import RxTest
import Testing

@Suite struct RecursionTests {
    let log = Log<Int>()

    @Test func aRunMayRequestSeveralRuns() {
        let scheduler = TestScheduler(initialClock: 0)
        _ = scheduler.scheduleRecursive(1) { [log] number, again in
            log.add(number)
            if number < 4 {
                again(number * 2)
                again(number * 2 + 1)
            }
        }
        scheduler.start()
        #expect(log.all == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test func disposalCancelsAllRuns() {
        let scheduler = TestScheduler(initialClock: 0)
        let rounds = scheduler.scheduleRecursive(0) { [log] number, again in
            log.add(number)
            again(number + 1)
        }
        scheduler.scheduleAt(4) { rounds.dispose() }
        scheduler.start()
        #expect(log.all == [0, 1, 2])
    }

    @Test func runsCanBeDelayed() {
        let scheduler = TestScheduler(initialClock: 0)
        _ = scheduler.scheduleRecursive(0, dueTime: .seconds(10)) { [log] number, recursion in
            log.add(scheduler.clock)
            if number == 0 { recursion.schedule(1, dueTime: .seconds(20)) }
            if number == 1 { recursion.schedule(2) }
        }
        scheduler.start()
        #expect(log.all == [10, 30, 31])
    }

    @Test func manyRunsDoNotRecurse() {
        _ = CurrentThreadScheduler.instance.scheduleRecursive(0) { [log] number, again in
            if number < 100_000 { again(number + 1) } else { log.add(number) }
        }
        #expect(log.all == [100_000])
    }

    @Test func periodicWorkRunsInVirtualTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let ticks = scheduler.schedulePeriodic(0, startAfter: .seconds(5), period: .seconds(10)) { [log] number in
            log.add(scheduler.clock)
            return number + 1
        }
        scheduler.scheduleAt(30) { ticks.dispose() }
        scheduler.start()
        #expect(log.all == [5, 15, 25])
    }

    @Test func aHistoricalSchedulerMeasuresDates() {
        let begin = Date(timeIntervalSince1970: 1000)
        let scheduler = HistoricalScheduler(initialClock: begin)
        _ = Observable<Int>.interval(.milliseconds(1500), scheduler: scheduler).take(2)
            .subscribe(onNext: { [log] _ in log.add(Int(scheduler.now.timeIntervalSince1970 * 10)) })
        scheduler.advanceTo(begin.addingTimeInterval(2))
        #expect(log.all == [10015])
        scheduler.start()
        #expect(log.all == [10015, 10030])
        #expect(scheduler.clock == begin.addingTimeInterval(3))
    }

    @Test func aStoppedClockCanBeStartedAgain() {
        let scheduler = TestScheduler(initialClock: 0)
        for time in [10, 20, 30] {
            scheduler.scheduleAt(time) { [log] in
                log.add(time)
                if time == 20 { scheduler.stop() }
            }
        }
        scheduler.start()
        #expect(log.all == [10, 20])
        #expect(!scheduler.isRunning)
        scheduler.start()
        #expect(log.all == [10, 20, 30])
    }

    @Test func movingTheClockBackTraps() async {
        await #expect(processExitsWith: .failure) { TestScheduler(initialClock: 10).advanceTo(5) }
    }
}
