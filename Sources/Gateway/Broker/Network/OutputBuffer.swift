/// The bytes that wait for the socket. A pure value.
struct OutputBuffer {
    /// While more bytes wait, messages stay in the ``SendWindow``.
    static let messageLimit = 256 << 10
    /// While more bytes wait, nothing is read, so that answers to a flood do not fill the memory.
    static let readingLimit = 512 << 10
    /// Sent bytes are removed in parts of this size, because a removal moves the others.
    private static let removal = 64 << 10

    private var bytes: [UInt8] = []
    private var start = 0

    /// The number of bytes that wait.
    var count: Int { bytes.count - start }
    var isEmpty: Bool { start == bytes.count }
    /// The number of bytes in memory, with those that were sent and not removed.
    var heldCount: Int { bytes.count }
    /// The room for messages, in bytes.
    var room: Int { max(0, Self.messageLimit - count) }
    var waiting: ArraySlice<UInt8> { bytes[start...] }

    mutating func append(_ added: [UInt8]) { bytes += added }

    /// Removes bytes that the socket has accepted.
    mutating func removeFirst(_ count: Int) {
        start += count
        guard !isEmpty else { return removeAll() }
        guard start >= Self.removal else { return }
        bytes.removeFirst(start)
        start = 0
    }

    mutating func removeAll() { self = OutputBuffer() }
}
