import DBus
package import Dispatch
import Glibc
import Rx

/// The serial queue of a loop-back bus, on a scheduler: first in, first out, one job at a time.
///
/// One scheduler action runs all waiting jobs. If a timer fires while no job runs, the timer also runs all waiting
/// jobs at once. So in virtual time, the job of a timer runs at the exact time.
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

    /// Enqueues a job.
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

    /// Enqueues a job after a delay on the scheduler's clock.
    func schedule(after delay: Duration, _ work: @escaping Job) -> BusTask {
        guard let interval = DispatchTimeInterval(busDelay: delay) else { return BusTask {} }
        let once = OneShotJob(work)
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

    /// Whether the caller runs in this context.
    var isCurrent: Bool { state.withLock { $0.runner == pthread_self() } }

    /// Runs all waiting jobs on the calling thread. Returns at once if another thread runs them.
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
    /// Creates the interval for a delay on a bus's clock.
    ///
    /// A negative delay gives zero. A delay of more than 68 years gives nil.
    package init?(busDelay delay: Duration) {
        guard delay <= .seconds(1 << 31) else { return nil }
        self.init(max(.zero, delay))
    }
}

/// A job that runs at most once, and never after `drop()`.
final class OneShotJob: Sendable {
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
