/// Messages that wait in memory to be stored. A pure value.
///
/// Those of normal priority come before those of low priority. While a transaction runs, its messages stay.
struct UnstoredMessages {
    private var queues = Publication.Priority.allCases.map { _ in ArraySlice<Publication>() }
    /// How many messages of each queue the running transaction contains.
    private var locked = Publication.Priority.allCases.map { _ in 0 }
    private var bytes = 0

    var count: Int { queues.reduce(0) { $0 + $1.count } }
    var isEmpty: Bool { queues.allSatisfy(\.isEmpty) }
    /// The number of messages in the running transaction.
    var lockedCount: Int { locked.reduce(0, +) }
    /// The message that is sent first.
    var first: Publication? { queues.first { !$0.isEmpty }?.first }

    mutating func append(_ publication: Publication) {
        queues[Int(publication.priority.rawValue)].append(publication)
        bytes += publication.size
    }

    /// Removes ``first``.
    mutating func removeFirst() {
        guard let index = queues.firstIndex(where: { !$0.isEmpty }) else { return }
        bytes -= queues[index].removeFirst().size
    }

    /// Puts messages back that were sent and not confirmed, before those that came later.
    mutating func putBack(_ publications: [Publication]) {
        for (index, priority) in Publication.Priority.allCases.enumerated() {
            let returned = publications.filter { $0.priority == priority }
            queues[index].insert(contentsOf: returned, at: queues[index].startIndex + locked[index])
            bytes += returned.reduce(0) { $0 + $1.size }
        }
    }

    /// Begins a transaction, and returns its messages.
    mutating func lock() -> [Publication] {
        locked = queues.map(\.count)
        return queues.flatMap { $0 }
    }

    /// Ends the transaction, and removes its messages. Returns their priorities.
    mutating func removeLocked() -> Set<Publication.Priority> {
        var priorities: Set<Publication.Priority> = []
        for (index, priority) in Publication.Priority.allCases.enumerated() where locked[index] > 0 {
            bytes -= queues[index].prefix(locked[index]).reduce(0) { $0 + $1.size }
            queues[index].removeFirst(locked[index])
            priorities.insert(priority)
        }
        unlock()
        return priorities
    }

    /// Ends the transaction, and keeps its messages.
    mutating func unlock() { locked = locked.map { _ in 0 } }

    /// Drops messages until a size is kept: of low priority before others, and the oldest first. The last one stays.
    /// - Returns: How many were dropped.
    mutating func drop(above maximumBytes: Int) -> Int {
        var dropped = 0
        guard bytes > maximumBytes else { return dropped }
        for index in queues.indices.reversed() {
            var kept = queues[index].dropFirst(locked[index])
            let before = dropped
            while bytes > maximumBytes, !kept.isEmpty, count - lockedCount - (dropped - before) > 1 {
                bytes -= kept.removeFirst().size
                dropped += 1
            }
            if dropped > before { queues[index] = queues[index].prefix(locked[index]) + kept }
        }
        return dropped
    }
}
