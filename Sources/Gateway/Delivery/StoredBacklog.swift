/// The messages of the store that an outbox has read and not sent. A pure value.
///
/// Messages of low priority follow when the store has no others.
struct StoredBacklog {
    private struct Queue {
        var ready: ArraySlice<StoredPublication> = []
        /// The number of the last message that was read.
        var cursor: Int64 = 0
        /// Whether the store has no later messages.
        var isDrained = false
    }

    /// What is read next.
    struct Request: Equatable {
        var priority: Publication.Priority
        var number: Int64
    }

    private var queues = Publication.Priority.allCases.map { _ in Queue() }

    /// Whether everything in the store was sent.
    var isDrained: Bool { queues.allSatisfy { $0.isDrained && $0.ready.isEmpty } }

    /// Begins with the oldest messages again.
    mutating func reset() { queues = queues.map { _ in Queue() } }

    /// Forgets what was read, because the connection has ended.
    mutating func clear() { for index in queues.indices { queues[index].ready = [] } }

    /// The store has further messages of these priorities.
    mutating func added(_ priorities: Set<Publication.Priority>) {
        for priority in priorities { queues[Int(priority.rawValue)].isDrained = false }
    }

    /// The message to send next; nil if messages must be read first, or there are none.
    var next: StoredPublication? {
        for queue in queues {
            if let message = queue.ready.first { return message }
            guard queue.isDrained else { return nil }
        }
        return nil
    }

    /// Removes ``next``.
    mutating func removeNext() {
        guard let index = queues.firstIndex(where: { !$0.ready.isEmpty }) else { return }
        queues[index].ready.removeFirst()
    }

    /// What to read; nil if a message is ready, or the store has no others.
    var request: Request? {
        for (queue, priority) in zip(queues, Publication.Priority.allCases) {
            guard queue.ready.isEmpty else { return nil }
            if !queue.isDrained { return Request(priority: priority, number: queue.cursor) }
        }
        return nil
    }

    /// Adds what was read.
    ///
    /// - Parameters:
    ///   - last: The last number that was read, also of a message that is not added; nil if there was none.
    ///   - isLast: Whether the store has no later messages.
    mutating func add(
        _ messages: [StoredPublication], of priority: Publication.Priority, upTo last: Int64?, isLast: Bool
    ) {
        let index = Int(priority.rawValue)
        if let last { queues[index].cursor = last }
        queues[index].isDrained = isLast
        queues[index].ready += messages
    }
}
