import RxBluetooth
import RxTest

/// Tasks of the library in virtual time. Each step gives the tasks a chance to run.
extension Stage {
    /// Advances the clock by single milliseconds until a condition is true.
    func advance(until condition: () -> Bool) async {
        while !condition() {
            advance(1)
            // On a private bus, a step of the clock is much work. Tasks need several turns on a busy machine.
            for _ in 0..<10 where !condition() { await Task.yield() }
        }
    }

    /// Advances the clock until a task has ended.
    func end<Outcome>(of task: Task<Outcome, any Error>) async -> Result<Outcome, any Error> {
        let hasEnded = Guarded(false)
        let wait = Task {
            let result = await task.result
            hasEnded.withLock { $0 = true }
            return result
        }
        await advance { hasEnded.withLock { $0 } }
        return await wait.value
    }

    /// Runs work in a task, and advances the clock until the work has ended.
    func run<Outcome: Sendable>(
        _ work: @escaping @Sendable () async throws -> Outcome
    ) async -> Result<Outcome, any Error> {
        await end(of: Task { try await work() })
    }
}
