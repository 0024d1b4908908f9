/// Allows something at most once in an interval, for example a line of the log. A pure value.
struct MinimumInterval: Hashable, Sendable {
    private let interval: Duration
    private var last: Duration?

    init(_ interval: Duration) { self.interval = interval }

    /// Returns whether it is allowed now, and stores that it happens then.
    mutating func take(at now: Duration) -> Bool {
        guard earliest(at: now) <= now else { return false }
        last = now
        return true
    }

    /// When it is allowed: now, or later.
    func earliest(at now: Duration) -> Duration { last.map { max(now, $0 + interval) } ?? now }

    /// Stores that it happens in any case.
    mutating func happened(at now: Duration) { last = now }
}
