/// Keys in the order of their deadlines. A key may occur several times; the caller ignores entries that are outdated.
struct DeadlineHeap<Key: Sendable>: Sendable {
    private var entries: [(deadline: Duration, key: Key)] = []

    var count: Int { entries.count }

    /// The earliest entry.
    var first: (deadline: Duration, key: Key)? { entries.first }

    mutating func insert(_ key: Key, at deadline: Duration) {
        entries.append((deadline, key))
        var child = entries.count - 1
        while child > 0, entries[child].deadline < entries[(child - 1) / 2].deadline {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    @discardableResult
    mutating func removeFirst() -> (deadline: Duration, key: Key)? {
        guard let last = entries.popLast() else { return nil }
        guard let first = entries.first else { return last }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].deadline < entries[least].deadline {
                least = child
            }
            guard least != parent else { return first }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
