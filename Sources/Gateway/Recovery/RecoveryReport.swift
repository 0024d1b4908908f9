/// What happened to an adapter while it was silent, for the log, the status and tests.
public enum RecoveryReport: Hashable, Sendable {
    /// Nothing was received for longer than normal. `rate` is the normal number of advertisements per second.
    case silent(SilenceSymptom, since: Duration, rate: Double)
    /// A step began. `round` counts how often the ladder was climbed during this silence, from 1.
    case began(RecoveryStep, round: Int)
    /// A step has ended.
    case ended(RecoveryStep, StepResult, after: Duration)
    /// Advertisements are received again, after this silence. The step is nil if none was in progress.
    case recovered(after: Duration, by: RecoveryStep?)
    /// The adapter was silent again after at most two advertisements, so the step did not help.
    case relapsed(RecoveryStep)
    /// No step has helped. The next round follows after this pause.
    case exhausted(round: Int, pause: Duration)
    /// Nothing can be received because of an obstacle. The gateway waits for its end.
    case waiting(ScanObstacle)
    /// The obstacle is gone.
    case ready

    /// How a step ended.
    public enum StepResult: Hashable, Sendable {
        /// Advertisements were received.
        case helped
        /// The step was executed, but nothing was received.
        case noAdvertisements
        /// The step could not be executed in time, or failed with this error.
        case failed(String)
        /// An obstacle has appeared meanwhile.
        case cancelled
    }
}

/// How often a step was tried and has helped.
public struct StepCount: Hashable, Sendable {
    public internal(set) var tried = 0
    public internal(set) var helped = 0

    /// Creates a count of zero.
    public init() {}
}
