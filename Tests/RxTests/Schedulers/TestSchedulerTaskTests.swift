import Rx
import RxTest
import Testing

/// Asynchronous code in virtual time.
@Suite struct TestSchedulerTaskTests {
    private struct Failure: Error {}

    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    private let log = Log<Int>()

    /// Ends after a number of milliseconds of the virtual clock.
    private func pause(_ milliseconds: Int) async throws {
        _ = try await Single<Int>.timer(.milliseconds(milliseconds), scheduler: scheduler).value
    }

    @Test func `The result of the work is returned at the time of its end`() throws {
        let result = try scheduler.run {
            try await pause(1_000)
            try await pause(500)
            return "done"
        }
        #expect(result == "done")
        #expect(scheduler.clock == 1_500)
    }

    @Test func `Work without a pause does not move the clock`() throws {
        scheduler.scheduleAt(10) { log.add(10) }
        #expect(try scheduler.run { 7 } == 7)
        #expect(scheduler.clock == 0 && log.all == [])
    }

    @Test func `The error of the work is thrown`() {
        #expect(throws: Failure.self) {
            try scheduler.run {
                try await pause(10)
                throw Failure()
            }
        }
        #expect(scheduler.clock == 10)
    }

    @Test func `Child tasks run between the other work of the clock, in the order of time`() throws {
        for time in stride(from: 5, through: 35, by: 10) { scheduler.scheduleAt(time) { log.add(time) } }
        try scheduler.run {
            try await withThrowingTaskGroup { group in
                for time in [30, 10, 20] {
                    group.addTask {
                        try await pause(time)
                        log.add(time)
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(log.all == [5, 10, 15, 20, 25, 30])
    }

    @Test func `Work that does not end is cancelled at the limit`() {
        let wasCancelled = Log<Bool>()
        let error = #expect(throws: UnfinishedWorkError.self) {
            try scheduler.run(limit: 2_000) {
                do { _ = try await Single<Int>.never().value } catch {
                    wasCancelled.add(Task.isCancelled)
                    throw error
                }
            }
        }
        #expect(error?.ticks == 2_000)
        #expect(error?.description.hasPrefix("The work has not ended after 2000 ticks") == true)
        #expect(wasCancelled.all == [true])
        #expect(scheduler.clock == 2_000)
    }

    @Test func `A task runs only while the clock is moved`() async throws {
        let task = scheduler.startTask {
            log.add(scheduler.clock)
            try await pause(100)
            log.add(scheduler.clock)
        }
        #expect(log.all == [])
        scheduler.advanceBy(0)
        #expect(log.all == [0])
        scheduler.advanceBy(99)
        #expect(log.all == [0])
        scheduler.advanceBy(1)
        #expect(log.all == [0, 100])
        try await task.value
    }

    @Test func `Cancelling a task takes effect when the clock is moved`() async {
        let task = scheduler.startTask { try await pause(1_000) }
        scheduler.advanceBy(10)
        task.cancel()
        scheduler.advanceBy(10)
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(scheduler.clock == 20)
    }

    @Test func `Work that yields in a loop does not stop the clock`() throws {
        scheduler.scheduleAt(50) { log.add(50) }
        try scheduler.run { while log.all.isEmpty { await Task.yield() } }
        #expect(scheduler.clock == 50)
    }

    @Test func `The clock stops as soon as a condition is true`() {
        for time in [10, 20, 30] { scheduler.scheduleAt(time) { log.add(time) } }
        #expect(scheduler.advance { log.all.count == 2 })
        #expect(scheduler.clock == 20)
        #expect(!scheduler.advance(until: { false }, limit: 100))
        #expect(scheduler.clock == 120 && log.all == [10, 20, 30])
        #expect(scheduler.advance(until: { true }, limit: .max))
        #expect(scheduler.clock == 120)
    }
}
