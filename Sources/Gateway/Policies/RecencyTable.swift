/// A table of bounded size in the order of use. Adding to a full table removes the entry that was not used for longest.
struct RecencyTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var key: Key
        var value: Value
    }

    /// The positions of the entries that were used directly before and after another one; -1 for none.
    private struct Neighbours: Sendable {
        var older: Int
        var newer: Int
    }

    /// The largest number of entries. A full table with a lower capacity keeps its entries until they are removed.
    private(set) var capacity: Int
    private var entries: [Entry?] = []
    // Separate from the entries, so that a use moves no value.
    private var neighbours: [Neighbours] = []
    private var positions: [Key: Int] = [:]
    private var free: [Int] = []
    private var oldestPosition = -1
    private var newestPosition = -1

    /// Creates an empty table. The capacity is at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { positions.count }

    /// Changes the largest number of entries, which is at least 1.
    mutating func setCapacity(_ capacity: Int) { self.capacity = max(1, capacity) }

    /// The entry that was not used for longest; nil in an empty table.
    var oldest: (key: Key, value: Value)? {
        guard oldestPosition >= 0, let entry = entries[oldestPosition] else { return nil }
        return (entry.key, entry.value)
    }

    /// The keys, the most recently used last.
    var keys: [Key] {
        var keys: [Key] = []
        var position = oldestPosition
        while position >= 0, let entry = entries[position] {
            keys.append(entry.key)
            position = neighbours[position].newer
        }
        return keys
    }

    /// Returns a value without using it.
    func peek(_ key: Key) -> Value? { positions[key].flatMap { entries[$0]?.value } }

    /// Whether the table has the key.
    func contains(_ key: Key) -> Bool { positions[key] != nil }

    /// Changes a value in place without using it. Does nothing if the key is missing.
    mutating func update<Result>(_ key: Key, _ change: (inout Value) -> Result) -> Result? {
        guard let position = positions[key] else { return nil }
        return change(&entries[position]!.value)
    }

    /// Uses a key: it becomes the most recent. Adds the value if the key is missing.
    /// - Returns: The entry that was removed because the table was full.
    @discardableResult
    mutating func use(_ key: Key, default value: @autoclosure () -> Value) -> (key: Key, value: Value)? {
        use(key, default: value()) { _, _ in }.removed
    }

    /// Uses a key, and changes its value in place. Adds the value before if the key is missing.
    /// - Returns: The result of the change, and the entry that was removed because the table was full.
    mutating func use<Result>(
        _ key: Key, default value: @autoclosure () -> Value, _ change: (inout Value, _ isNew: Bool) -> Result
    ) -> (result: Result, removed: (key: Key, value: Value)?) {
        if let position = positions[key] {
            if position != newestPosition {
                unlink(position)
                append(position)
            }
            return (change(&entries[position]!.value, false), nil)
        }
        var removed: (key: Key, value: Value)?
        if positions.count >= capacity, let last = oldest {
            remove(last.key)
            removed = last
        }
        let position = add(Entry(key: key, value: value()))
        return (change(&entries[position]!.value, true), removed)
    }

    /// Removes an entry, and returns its value.
    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let position = positions.removeValue(forKey: key) else { return nil }
        unlink(position)
        let value = entries[position]?.value
        entries[position] = nil
        free.append(position)
        return value
    }

    private mutating func add(_ entry: Entry) -> Int {
        let position: Int
        if let reused = free.popLast() {
            entries[reused] = entry
            position = reused
        } else {
            position = entries.count
            entries.append(entry)
            neighbours.append(Neighbours(older: -1, newer: -1))
        }
        positions[entry.key] = position
        append(position)
        return position
    }

    private mutating func append(_ position: Int) {
        neighbours[position] = Neighbours(older: newestPosition, newer: -1)
        if newestPosition >= 0 { neighbours[newestPosition].newer = position } else { oldestPosition = position }
        newestPosition = position
    }

    private mutating func unlink(_ position: Int) {
        let (older, newer) = (neighbours[position].older, neighbours[position].newer)
        if older >= 0 { neighbours[older].newer = newer } else { oldestPosition = newer }
        if newer >= 0 { neighbours[newer].older = older } else { newestPosition = older }
    }
}
