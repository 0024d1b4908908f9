/// When the periodic reads of a device are due. It belongs to the device, not to one of its links.
///
/// The times of a read form a grid. After an outage, a read is due once, and the times that passed are skipped.
struct ReadSchedule: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var interval: Duration
        /// The next time of the grid; nil if nothing was read.
        var due: Duration?
    }

    private var entries: [Entry]

    /// Creates a schedule in which all reads are due at once.
    init(intervals: [Duration]) { entries = intervals.map { Entry(interval: max($0, .milliseconds(100))) } }

    var count: Int { entries.count }

    /// When the next read is due; nil if there is none. A time that has passed means now.
    func nextDue(now: Duration) -> Duration? { entries.map { $0.due ?? now }.min() }

    /// The reads that are due, with the one that waits longest first.
    func due(now: Duration) -> [Int] {
        entries.indices.filter { (entries[$0].due ?? now) <= now }
            .sorted { (entries[$0].due ?? .zero, $0) < (entries[$1].due ?? .zero, $1) }
    }

    /// Stores that a read has started. It is due again at the next time of its grid.
    mutating func begin(_ index: Int, now: Duration) {
        let interval = entries[index].interval
        let due = entries[index].due ?? now
        let missed = max(0, (now - due) / interval)
        let next = due + interval * (missed.rounded(.down) + 1)
        // Rounding must not make the same read due twice.
        entries[index].due = next > now ? next : now + interval
    }

    /// Makes a read due again after a pause, or at its next time if that is earlier.
    mutating func retry(_ index: Int, at time: Duration) {
        entries[index].due = min(entries[index].due ?? time, time)
    }
}
