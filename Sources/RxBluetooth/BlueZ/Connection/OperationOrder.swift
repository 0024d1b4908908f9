/// The waiting entries of a queue, and the order in which they start (S56).
///
/// Entries with a higher priority come first, and entries with the same priority in the order in which they were added.
/// Lower priorities do not starve, see ``OperationOptions/Priority``.
struct OperationOrder<Entry: AnyObject> {
    /// How many entries in a row may pass waiting entries with a lower priority.
    static var passLimit: Int { 4 }

    /// An entry that continues the one that has just ended, and starts before all others.
    private var following: Entry?
    private var high: [Entry] = []
    private var normal: [Entry] = []
    private var low: [Entry] = []
    /// How many entries in a row have passed waiting entries, by the priority of the passing entries.
    private var passes = (high: 0, normal: 0)

    var count: Int { high.count + normal.count + low.count + (following == nil ? 0 : 1) }

    /// Adds an entry that starts before all others.
    mutating func insertFollowing(_ entry: Entry) { following = entry }

    mutating func append(_ entry: Entry, _ priority: OperationOptions.Priority) {
        switch priority {
        case .high: high.append(entry)
        case .normal: normal.append(entry)
        case .low: low.append(entry)
        }
    }

    /// Removes and returns the entry that starts next; nil if none waits.
    mutating func next() -> Entry? {
        if let entry = following {
            following = nil
            return entry
        }
        let isPassing = !normal.isEmpty || !low.isEmpty
        if !high.isEmpty, !isPassing || passes.high < Self.passLimit {
            passes.high = isPassing ? passes.high + 1 : 0
            return high.removeFirst()
        }
        passes.high = 0
        if !normal.isEmpty, low.isEmpty || passes.normal < Self.passLimit {
            passes.normal = low.isEmpty ? 0 : passes.normal + 1
            return normal.removeFirst()
        }
        passes.normal = 0
        return low.isEmpty ? nil : low.removeFirst()
    }

    /// Removes an entry. Returns false if it does not wait.
    mutating func remove(_ entry: Entry) -> Bool {
        if following === entry {
            following = nil
            return true
        }
        return Self.remove(entry, &high) || Self.remove(entry, &normal) || Self.remove(entry, &low)
    }

    private static func remove(_ entry: Entry, _ entries: inout [Entry]) -> Bool {
        guard let index = entries.firstIndex(where: { $0 === entry }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Removes and returns all entries, by priority.
    mutating func removeAll() -> [Entry] {
        defer { self = OperationOrder() }
        return (following.map { [$0] } ?? []) + high + normal + low
    }
}
