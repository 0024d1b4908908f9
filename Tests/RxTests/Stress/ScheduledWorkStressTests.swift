import Dispatch
import Rx
import RxTest
import Synchronization
import Testing

/// Work that several threads schedule and cancel. Run these tests with `--sanitize=thread`.
@Suite(.timeLimit(.minutes(5))) struct ScheduledWorkStressTests {
    @Test func eachPieceOfWorkRunsOnceOrIsCancelled() async {
        let schedulers: [any SchedulerType] = [
            SerialDispatchQueueScheduler(qos: .default), ConcurrentDispatchQueueScheduler(qos: .default),
            ConcurrentMainScheduler.instance, MainScheduler.instance,
        ]
        for scheduler in schedulers {
            let done = Atomic<Int>(0)
            await withCheckedContinuation { continuation in
                let left = Atomic<Int>(4 * 100)
                DispatchQueue.concurrentPerform(iterations: 4) { _ in
                    for step in 0..<100 {
                        scheduler.scheduleRelative((), dueTime: .seconds(100)) { _ in
                            done.add(1_000_000, ordering: .relaxed)
                            return Disposables.create()
                        }.dispose()
                        _ = scheduler.scheduleRelative((), dueTime: .microseconds(step)) { _ in
                            done.add(1, ordering: .relaxed)
                            let last = left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
                            if last { continuation.resume() }
                            return Disposables.create()
                        }
                    }
                }
            }
            #expect(done.load(ordering: .relaxed) == 400)
        }
    }

    @Test func aVirtualClockAcceptsWorkFromAnyThread() {
        let scheduler = TestScheduler(initialClock: 0)
        let done = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for step in 0..<200 {
                let work = scheduler.scheduleRelative((), dueTime: .seconds(step)) { _ in
                    done.add(1, ordering: .relaxed)
                    return Disposables.create()
                }
                if step % 2 == 0 { work.dispose() }
                if thread == 0, step % 50 == 0 { scheduler.advance(by: .seconds(1)) }
            }
        }
        scheduler.start()
        #expect(done.load(ordering: .relaxed) == 800)
    }

    /// An object that calls a closure when it is released.
    private final class Ticket: Sendable {
        private let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    @Test func recursionCanBeCancelledFromAnotherThread() async {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        let (begun, tell) = AsyncStream.makeStream(of: Void.self)
        let (ended, tellEnd) = AsyncStream.makeStream(of: Void.self)
        let gaveUp = Flag()
        var rounds: (any Disposable)?
        do {
            let ticket = Ticket { tellEnd.yield() }
            rounds = scheduler.scheduleRecursive(0) { number, again in
                _ = ticket
                if number == 10 { tell.yield() }
                if gaveUp.isRaised { return }
                again(number + 1)
                if number % 64 == 0 { again(number + 1) }
            }
        }
        for await _ in begun { break }
        rounds?.dispose()
        // The loop ends when the last run releases the closure with its ticket, or when the time limit cancels this
        // task.
        for await _ in ended { break }
        #expect(!Task.isCancelled)
        gaveUp.raise()
        rounds = nil
    }
}
