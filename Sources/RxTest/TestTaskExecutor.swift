import Rx

/// Runs the jobs of tasks on the thread that moves the clock of a `TestScheduler`.
final class TestTaskExecutor: TaskExecutor {
    private let jobs = Guarded<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs the jobs that wait. Returns false if there was none.
    func runWaitingJobs() -> Bool {
        let waiting = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        // Each job is taken from the list once, as an executor must run it, and the executor outlives the loop.
        for job in waiting { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        return !waiting.isEmpty
    }
}
