/// A table of bounded size in the order of use. Adding to a full table removes the entry that was not used for longest.
struct RecencyTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var key: Key
        var value: Value
        /// The positions of the entries that were used directly before and after this one; -1 for none.
        var older: Int
        var newer: Int
    }

    /// The largest number of entries.
    let capacity: Int
    private var entries: [Entry?] = []
    private var positions: [Key: Int] = [:]
    private var free: [Int] = []
    private var oldestPosition = -1
    private var newestPosition = -1

    /// Creates an empty table. The capacity is at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { positions.count }

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
            position = entry.newer
        }
        return keys
    }

    /// Returns a value without using it.
    func peek(_ key: Key) -> Value? { positions[key].flatMap { entries[$0]?.value } }

    /// Changes a value in place without using it. Does nothing if the key is missing.
    mutating func update<Result>(_ key: Key, _ change: (inout Value) -> Result) -> Result? {
        guard let position = positions[key], entries[position] != nil else { return nil }
        return change(&entries[position]!.value)
    }

    /// Uses a key: it becomes the most recent. Adds the value if the key is missing.
    /// - Returns: The entry that was removed because the table was full.
    @discardableResult
    mutating func use(_ key: Key, default value: @autoclosure () -> Value) -> (key: Key, value: Value)? {
        if let position = positions[key] {
            unlink(position)
            append(position)
            return nil
        }
        var removed: (key: Key, value: Value)?
        if positions.count >= capacity, let last = oldest {
            remove(last.key)
            removed = last
        }
        let entry = Entry(key: key, value: value(), older: -1, newer: -1)
        let position: Int
        if let reused = free.popLast() {
            entries[reused] = entry
            position = reused
        } else {
            position = entries.count
            entries.append(entry)
        }
        positions[key] = position
        append(position)
        return removed
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

    private mutating func append(_ position: Int) {
        entries[position]?.older = newestPosition
        entries[position]?.newer = -1
        if newestPosition >= 0 { entries[newestPosition]?.newer = position } else { oldestPosition = position }
        newestPosition = position
    }

    private mutating func unlink(_ position: Int) {
        guard let entry = entries[position] else { return }
        if entry.older >= 0 { entries[entry.older]?.newer = entry.newer } else { oldestPosition = entry.newer }
        if entry.newer >= 0 { entries[entry.newer]?.older = entry.older } else { newestPosition = entry.older }
    }
}
