/// Messages in memory in the order of their numbers.
struct NumberedMessages {
    /// The memory of one place.
    static let placeSize = MemoryLayout<(number: Int64, publication: Publication?)>.stride

    /// A message; nil after its removal.
    private var entries: [(number: Int64, publication: Publication?)] = []
    /// The position of the oldest message.
    private var head = 0
    /// The number of removed messages that still have a place.
    private var removedCount = 0

    /// The number of places, also those of removed messages.
    var placeCount: Int { entries.count }

    /// Adds a message with a number above all others.
    mutating func append(_ publication: Publication, number: Int64) { entries.append((number, publication)) }

    /// Returns the oldest messages with numbers above `number`, at most `limit`.
    func messages(after number: Int64, limit: Int) -> [StoredPublication] {
        var result: [StoredPublication] = []
        var position = position(after: number)
        while position < entries.count, result.count < limit {
            let entry = entries[position]
            if let publication = entry.publication {
                result.append(StoredPublication(number: entry.number, publication: publication))
            }
            position += 1
        }
        return result
    }

    /// Removes a message, and returns it; nil if it is not there.
    mutating func remove(_ number: Int64) -> Publication? {
        guard number > 0 else { return nil }
        let position = position(after: number - 1)
        guard position < entries.count, entries[position].number == number else { return nil }
        return remove(at: position)
    }

    /// Removes the oldest message, and returns it; nil if there is none.
    mutating func removeFirst() -> Publication? { head < entries.count ? remove(at: head) : nil }

    private mutating func remove(at position: Int) -> Publication? {
        guard let removed = entries[position].publication else { return nil }
        entries[position].publication = nil
        removedCount += 1
        while head < entries.count, entries[head].publication == nil { head += 1 }
        // Also behind a message that stays, for example because the broker refuses it.
        if removedCount > 1024, removedCount * 2 > entries.count {
            entries.removeAll { $0.publication == nil }
            (head, removedCount) = (0, 0)
        }
        return removed
    }

    /// Returns the position of the first entry with a number above `number`.
    private func position(after number: Int64) -> Int {
        var (low, high) = (head, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
