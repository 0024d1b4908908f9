/// Limits how often something happens on average, and how often at once. A pure value.
struct RateLimit: Hashable, Sendable {
    /// When the average of what has happened is reached, if nothing further happens.
    private var paidAt: Duration?

    /// Counts an event, and returns whether the limit allows it.
    ///
    /// - Parameters:
    ///   - interval: The time between two events on average.
    ///   - burst: The largest number of events at once.
    mutating func take(at now: Duration, every interval: Duration, burst: Int) -> Bool {
        guard allows(at: now, every: interval, burst: burst) else { return false }
        count(at: now, every: interval)
        return true
    }

    /// Whether the limit allows an event.
    func allows(at now: Duration, every interval: Duration, burst: Int) -> Bool {
        max(paidAt ?? now, now) + interval - now <= interval * max(1, burst)
    }

    /// When the limit allows the next event: now, or later.
    func earliest(at now: Duration, every interval: Duration, burst: Int) -> Duration {
        max(now, (paidAt ?? now) - interval * (max(1, burst) - 1))
    }

    /// The time between two events on average.
    static func interval(perMinute count: Int) -> Duration { .seconds(60) / max(1, count) }

    /// Counts an event that happens in any case.
    mutating func count(at now: Duration, every interval: Duration) { paidAt = max(paidAt ?? now, now) + interval }
}
