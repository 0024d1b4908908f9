/// Limits how many events happen in a second, by counting them in short intervals.
struct Pace {
    static let interval: Duration = .milliseconds(100)
    private let limit: Int
    private var start: Duration?
    private var count = 0

    init(perSecond: Int) { limit = max(1, perSecond / 10) }

    /// Counts an event, and returns whether the limit allows it.
    mutating func take(_ now: Duration) -> Bool {
        if start.map({ now >= $0 + Self.interval }) ?? true {
            start = now
            count = 0
        }
        guard count < limit else { return false }
        count += 1
        return true
    }
}
