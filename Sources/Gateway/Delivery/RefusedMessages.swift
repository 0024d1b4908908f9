/// Messages that only the memory has, and that the broker refused for now. A pure value.
///
/// They wait apart from the others, so that they are not sent again at once, and do not block later ones.
struct RefusedMessages {
    private var messages: ArraySlice<Publication> = []
    private(set) var bytes = 0

    var count: Int { messages.count }

    /// Adds a message, and drops the oldest ones above a size. Returns how many were dropped.
    mutating func add(_ publication: Publication, upTo maximumBytes: Int) -> Int {
        messages.append(publication)
        bytes += publication.size
        let before = count
        while bytes > maximumBytes, count > 1 { bytes -= messages.removeFirst().size }
        return before - count
    }

    /// Removes and returns all messages, the oldest first.
    mutating func take() -> [Publication] {
        defer { self = RefusedMessages() }
        return Array(messages)
    }
}
