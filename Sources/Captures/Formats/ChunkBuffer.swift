/// The bytes of a stream that arrive in chunks. It holds only the bytes that are not consumed yet.
struct ChunkBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0
    /// The number of bytes to drop when they arrive.
    private var skipped = 0

    /// Whether bytes are left that belong to an incomplete record.
    var isEmpty: Bool { bytes.count == start && skipped == 0 }

    mutating func append(_ chunk: [UInt8]) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        let dropped = min(skipped, chunk.count)
        skipped -= dropped
        bytes += chunk[dropped...]
    }

    /// Returns the next bytes without consuming them; nil if they have not arrived yet.
    func peek(_ count: Int) -> ArraySlice<UInt8>? {
        guard skipped == 0, count <= bytes.count - start else { return nil }
        return bytes[start..<start + count]
    }

    /// Consumes bytes that have arrived.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard let taken = peek(count) else { return nil }
        start += count
        return taken
    }

    /// Consumes bytes without storing them, also those that have not arrived yet.
    mutating func skip(_ count: Int) {
        let present = min(count, bytes.count - start)
        start += present
        skipped += count - present
    }
}
