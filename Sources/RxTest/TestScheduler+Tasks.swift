import Rx

extension TestScheduler {
    /// Starts a task that runs while the clock is moved.
    ///
    /// Its work, and that of its child tasks, runs on the thread that moves the clock: before each piece of scheduled
    /// work, and before a move ends. Nothing runs between two moves. So the order of all work is the same in each run.
    /// An actor with an executor of its own, such as the main actor, and `Task {}` inside the work run elsewhere. The
    /// clock does not wait for them.
    ///
    ///     let task = scheduler.startTask { try await peripheral.withConnection { … } }
    ///     scheduler.advanceBy(2_000)
    ///     task.cancel()
    ///     scheduler.advanceBy(2_000)
    @discardableResult
    public func startTask<Outcome: Sendable>(
        _ work: @escaping @Sendable () async throws -> Outcome
    ) -> Task<Outcome, any Error> {
        Task(executorPreference: executor, operation: work)
    }

    /// Runs work in a task, moves the clock until it has ended, and returns its result.
    ///
    /// It throws the error of the work. If the work has not ended after `limit` ticks, it is cancelled, and the call
    /// throws ``UnfinishedWorkError``. ``startTask(_:)`` explains where the work runs. Do not call it while the clock
    /// is moved.
    public func run<Outcome: Sendable>(
        limit: Int = 3_600_000, _ work: @escaping @Sendable () async throws -> Outcome
    ) throws -> Outcome {
        let outcome = Guarded<Result<Outcome, any Error>?>(nil)
        let task = startTask {
            let result: Result<Outcome, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        advance(until: { outcome.withLock { $0 != nil } }, limit: limit)
        if let outcome = outcome.withLock({ $0 }) { return try outcome.get() }
        task.cancel()
        // Lets the work handle its cancellation.
        advanceBy(0)
        throw UnfinishedWorkError(ticks: limit)
    }

    /// Moves the clock from one piece of work to the next until a condition is true.
    ///
    /// The condition is evaluated before each piece of work, after the tasks of ``startTask(_:)`` have run. Returns
    /// false if it is still not true after `limit` ticks.
    @discardableResult
    public func advance(until condition: () -> Bool, limit: Int = 3_600_000) -> Bool {
        var isMet = false
        run(until: clock + min(limit, .max - clock)) {
            isMet = isMet || condition()
            return isMet
        }
        return isMet
    }
}

/// The error of ``TestScheduler/run(limit:_:)`` if the work has not ended.
public struct UnfinishedWorkError: Error, CustomStringConvertible {
    /// The number of ticks after which the work was cancelled.
    public let ticks: Int

    /// The reason, as a sentence.
    public var description: String {
        "The work has not ended after \(ticks) ticks of the clock. Perhaps it waits for another thread or the main actor."
    }
}
