/// Counts what a limit refuses, and says when an excess begins and ends. A pure value.
struct LimitExcess: Hashable, Sendable {
    /// An excess has ended when nothing was refused for this time.
    static let lull: Duration = .seconds(60)

    /// What was refused since the start.
    private(set) var count = 0
    /// What the present excess has refused; 0 if there is none.
    private var currentCount = 0
    private var last: Duration = .zero

    /// Counts a refusal, and returns whether an excess begins with it.
    mutating func add(at now: Duration) -> Bool {
        count += 1
        currentCount += 1
        last = now
        return currentCount == 1
    }

    /// When ``end(at:)`` may have work; nil if there is no excess.
    var deadline: Duration? { currentCount > 0 ? last + Self.lull : nil }

    /// Returns how much an excess refused that has ended; nil if none has.
    mutating func end(at now: Duration) -> Int? {
        guard let deadline, deadline <= now else { return nil }
        defer { currentCount = 0 }
        return currentCount
    }
}
