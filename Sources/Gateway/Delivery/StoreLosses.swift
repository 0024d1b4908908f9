/// Counts the messages that a full store removes, and says which notices to emit.
struct StoreLosses {
    /// The losses since the store became full.
    private(set) var count = 0

    /// Adds losses. Returns a notice for the first one, so that a long outage does not fill the log.
    mutating func add(_ dropped: Int) -> DeliveryNotice? {
        guard dropped > 0 else { return nil }
        defer { count += dropped }
        return count == 0 ? .storeOverflowed : nil
    }

    /// Ends the count, because the broker has confirmed the backlog. Returns a notice if messages were lost.
    mutating func end() -> DeliveryNotice? {
        guard count > 0 else { return nil }
        defer { count = 0 }
        return .storeDrained(droppedCount: count)
    }
}
