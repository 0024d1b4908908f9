import DBus
package import Dispatch
import Glibc
import Rx
import Synchronization

/// One line of work for everybody on a loop-back bus: first in, first out, one piece at a time, on a scheduler.
///
/// Job is drained by one action of the scheduler, which runs until nothing is left. A timer that comes due
/// while nobody drains does so itself, so that in virtual time it runs at exactly its time.
final class SerialContext: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var queue: [Job] = []
        var isDrainScheduled = false
        var runner: pthread_t?
    }

    private let scheduler: any SchedulerType
    private let state = Guarded(State())
    let clock: BusClock

    init(scheduler: any SchedulerType) {
        self.scheduler = scheduler
        let elapsed = ElapsedClock(scheduler)
        clock = BusClock { elapsed.time }
    }

    /// Runs work after everything that already waits.
    func perform(_ work: @escaping Job) {
        let mustSchedule = state.withLock {
            $0.queue.append(work)
            guard $0.runner == nil, !$0.isDrainScheduled else { return false }
            $0.isDrainScheduled = true
            return true
        }
        guard mustSchedule else { return }
        _ = scheduler.schedule(()) { [self] in
            state.withLock { $0.isDrainScheduled = false }
            drain()
            return Disposables.create()
        }
    }

    /// Runs work after a delay on the scheduler's clock.
    func schedule(after delay: Duration, _ work: @escaping Job) -> BusTask {
        guard let interval = DispatchTimeInterval(busDelay: delay) else { return BusTask {} }
        let once = Once(work)
        let timer = scheduler.scheduleRelative((), dueTime: interval) { [self] in
            state.withLock { $0.queue.append { once.run() } }
            drain()
            return Disposables.create()
        }
        return BusTask {
            once.drop()
            timer.dispose()
        }
    }

    /// Whether the caller is a piece of this context's work.
    var isCurrent: Bool { state.withLock { $0.runner == pthread_self() } }

    /// Runs what waits, on the calling thread; returns at once where somebody else does so already.
    func drain() {
        let mayRun = state.withLock {
            guard $0.runner == nil else { return false }
            $0.runner = pthread_self()
            return true
        }
        guard mayRun else { return }
        while let batch = nextBatch() {
            for work in batch { work() }
        }
    }

    private func nextBatch() -> [Job]? {
        state.withLock {
            if $0.queue.isEmpty {
                $0.runner = nil
                return nil
            }
            let batch = $0.queue
            $0.queue = []
            return batch
        }
    }
}

extension DispatchTimeInterval {
    /// The interval for a delay on a bus's clock: zero if the delay is negative, nil if it is too long to ever end.
    package init?(busDelay delay: Duration) {
        guard delay <= .seconds(1 << 31) else { return nil }
        self.init(max(.zero, delay))
    }
}

/// Job that runs once at most, and not at all once it was dropped.
final class Once: Sendable {
    private let work: Guarded<SerialContext.Job?>

    init(_ work: @escaping SerialContext.Job) { self.work = Guarded(work) }

    func run() { take()?() }

    func drop() { _ = take() }

    private func take() -> SerialContext.Job? {
        work.withLock {
            let work = $0
            $0 = nil
            return work
        }
    }
}

/// A flag that is raised once and stays up.
final class Flag: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() { raised.store(true, ordering: .releasing) }
}
