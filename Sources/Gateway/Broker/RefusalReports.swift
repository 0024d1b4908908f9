/// Selects the refusals of a connection that get a line: each topic with each cause once, up to a limit.
///
/// Those above the limit are counted, for one line about all of them.
struct RefusalReports {
    /// A cause that is temporary often concerns all topics, so a few of them are enough.
    static let maximumTemporary = 16
    /// The lines about messages that are lost or set aside.
    static let maximumOthers = 200
    /// Topics above this number are neither kept nor counted, so that they do not fill the memory.
    static let maximumKnown = 1_000

    private struct Key: Hashable {
        let topic: String
        let cause: String
    }

    private var known: Set<Key> = []
    private var temporaryCount = 0
    private var otherCount = 0
    /// The topics without a line since ``takeUnreported()``.
    private(set) var unreportedCount = 0

    /// Returns whether the refusal gets a line.
    mutating func shouldReport(_ refusal: BrokerRefusal) -> Bool {
        guard add(refusal.topic, refusal.cause) else { return false }
        let isWithinLimit: Bool
        if refusal.kind == .temporary {
            temporaryCount += 1
            isWithinLimit = temporaryCount <= Self.maximumTemporary
        } else {
            otherCount += 1
            isWithinLimit = otherCount <= Self.maximumOthers
        }
        if !isWithinLimit { unreportedCount += 1 }
        return isWithinLimit
    }

    /// Returns whether the refusal of a subscription gets a line. The gateway has only a few subscriptions.
    mutating func shouldReport(filter: String, cause: String) -> Bool { add(filter, cause) }

    /// Returns the number of further topics, and begins to count again.
    mutating func takeUnreported() -> Int {
        defer { unreportedCount = 0 }
        return unreportedCount
    }

    private mutating func add(_ topic: String, _ cause: String) -> Bool {
        known.count < Self.maximumKnown && known.insert(Key(topic: topic, cause: cause)).inserted
    }
}
