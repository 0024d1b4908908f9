/// Messages that wait in memory to be stored. A pure value.
///
/// Those of normal priority come before those of low priority. While a transaction runs, its messages stay.
struct UnstoredMessages {
    private var queues = Publication.Priority.allCases.map { _ in MessageQueue() }
    /// The messages of each queue that the running transaction contains, before those of the queue.
    private var locked = Publication.Priority.allCases.map { _ in [Publication]() }
    private(set) var bytes = 0

    var count: Int { lockedCount + waitingCount }
    var isEmpty: Bool { count == 0 }
    /// The number of messages in the running transaction.
    var lockedCount: Int { locked.reduce(0) { $0 + $1.count } }
    private var waitingCount: Int { queues.reduce(0) { $0 + $1.count } }
    /// The message that is sent first, except for those in the running transaction.
    var first: Publication? { queues.first { !$0.isEmpty }?.first }

    mutating func append(_ publication: Publication) {
        queues[Int(publication.priority.rawValue)].append(publication)
        bytes += publication.size
    }

    /// Removes ``first``.
    mutating func removeFirst() {
        guard let index = queues.firstIndex(where: { !$0.isEmpty }) else { return }
        removeFirst(of: index)
    }

    private mutating func removeFirst(of index: Int) { bytes -= queues[index].removeFirst()?.size ?? 0 }

    /// Puts messages back that were sent and not confirmed, before those that came later.
    mutating func putBack(_ publications: [Publication]) {
        for (index, priority) in Publication.Priority.allCases.enumerated() {
            let returned = publications.filter { $0.priority == priority }
            queues[index].insert(returned)
            bytes += returned.reduce(0) { $0 + $1.size }
        }
    }

    /// Begins a transaction, and returns its messages.
    mutating func lock() -> [Publication] {
        unlock()
        locked = queues.map(\.all)
        queues = queues.map { _ in MessageQueue() }
        return locked.flatMap { $0 }
    }

    /// Ends the transaction, and removes its messages. Returns their priorities.
    mutating func removeLocked() -> Set<Publication.Priority> {
        var priorities: Set<Publication.Priority> = []
        for (index, priority) in Publication.Priority.allCases.enumerated() where !locked[index].isEmpty {
            bytes -= locked[index].reduce(0) { $0 + $1.size }
            locked[index] = []
            priorities.insert(priority)
        }
        return priorities
    }

    /// Ends the transaction, and keeps its messages.
    mutating func unlock() {
        for index in queues.indices {
            queues[index].insert(locked[index])
            locked[index] = []
        }
    }

    /// Drops messages until a size is kept: of low priority before others, and the oldest first. The last one stays.
    /// - Returns: How many were dropped.
    mutating func drop(above maximumBytes: Int) -> Int {
        var dropped = 0
        for index in queues.indices.reversed() {
            while bytes > maximumBytes, !queues[index].isEmpty, waitingCount > 1 {
                removeFirst(of: index)
                dropped += 1
            }
        }
        return dropped
    }
}
