import RxBluetooth
import RxTest

/// Tasks of the library in virtual time. They run on the thread that moves the clock.
extension Stage {
    /// Advances the clock until a condition is true.
    func advance(until condition: () -> Bool) { scheduler.advance(until: condition) }

    /// Advances the clock until a task that the scheduler has started has ended.
    func end<Outcome: Sendable>(of task: Task<Outcome, any Error>) throws -> Result<Outcome, any Error> {
        try scheduler.run { await task.result }
    }

    /// Runs work in a task, and advances the clock until the work has ended.
    func run<Outcome: Sendable>(
        _ work: @escaping @Sendable () async throws -> Outcome
    ) throws -> Result<Outcome, any Error> {
        try end(of: scheduler.startTask(work))
    }
}
