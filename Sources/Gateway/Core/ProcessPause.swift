/// Finds out that the process, or the whole computer, did not run for a while. A pure value.
///
/// Until it runs again, messages wait in its sockets. A timer that is much later than planned shows a pause, for
/// example by SIGSTOP, and so does the time for which the computer was suspended.
struct ProcessPause: Sendable {
    /// A busy computer also delays a timer a little.
    static let tolerance = Duration.seconds(2)

    /// When the next work is planned; nil if that is not known.
    private var due: Duration?
    private var lastRun: Duration
    private var lastSuspended: Duration

    /// - Parameter suspended: For how long the computer was suspended so far.
    init(at now: Duration, suspended: Duration) {
        lastRun = now
        lastSuspended = suspended
    }

    /// Work is planned for a time, instead of earlier work.
    mutating func planned(at time: Duration) { due = time }

    /// The process runs. Returns for how long it may not have run before; nil without a pause.
    mutating func runs(at now: Duration, suspended: Duration) -> Duration? {
        defer { (lastRun, lastSuspended) = (now, suspended) }
        let isLate = due.map { now - $0 > Self.tolerance } ?? false
        guard isLate || suspended - lastSuspended > Self.tolerance else { return nil }
        // The timer of this work is late in any case, because it does not count while the computer is suspended.
        due = nil
        return now - lastRun
    }
}

/// The time for which the computer was suspended since the start of the process.
enum SuspendedTime {
    // Linux: CLOCK_BOOTTIME and CLOCK_MONOTONIC.
    private static let start = (total: ContinuousClock.now, running: SuspendingClock.now)

    static var now: Duration { (ContinuousClock.now - start.total) - (SuspendingClock.now - start.running) }
}
