/// Messages that only the memory has, and that the broker refused for now. A pure value.
///
/// They wait apart from the others, so that they are not sent again at once, and do not block later ones.
struct RefusedMessages {
    private var queues = Publication.Priority.allCases.map { _ in ArraySlice<StoredPublication>() }
    private(set) var bytes = 0

    var count: Int { queues.reduce(0) { $0 + $1.count } }

    /// Adds a message, and drops messages above a size: of low priority before others, and the oldest first.
    /// - Returns: How many were dropped. The last one stays.
    mutating func add(_ message: StoredPublication, upTo maximumBytes: Int) -> Int {
        queues[Int(message.publication.priority.rawValue)].append(message)
        bytes += message.publication.size
        var dropped = 0
        for priority in Publication.Priority.allCases.reversed() {
            while bytes > maximumBytes, count > 1, removeFirst(of: priority) { dropped += 1 }
        }
        return dropped
    }

    /// Drops messages of low priority above a size, the oldest first. Returns how many were dropped.
    mutating func dropLow(above maximumBytes: Int) -> Int {
        var dropped = 0
        while bytes > maximumBytes, removeFirst(of: .low) { dropped += 1 }
        return dropped
    }

    /// Returns whether there was a message of this priority.
    private mutating func removeFirst(of priority: Publication.Priority) -> Bool {
        guard let first = queues[Int(priority.rawValue)].popFirst() else { return false }
        bytes -= first.publication.size
        return true
    }

    /// Removes and returns all messages, in the order in which they were sent.
    mutating func take() -> [StoredPublication] {
        defer { self = RefusedMessages() }
        return queues.joined().sorted { $0.number < $1.number }
    }
}
