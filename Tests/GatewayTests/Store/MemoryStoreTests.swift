import Testing

@testable import Gateway

/// The memory of a store without a file.
@Suite struct MemoryStoreTests {
    /// The bytes that the allocator has given to a message.
    private func allocated(_ publication: Publication) -> Int {
        let payload = unsafe publication.payload.withUnsafeBufferPointer { unsafe Self.block($0.baseAddress) }
        var topic = publication.topic
        let text = topic.withUTF8 { $0.count > 15 ? unsafe Self.block($0.baseAddress) : 0 }
        return payload + text
    }

    /// Buffers of Swift have a header of 32 bytes, and the size of a block of glibc is before it, with three flags.
    private static func block(_ content: UnsafePointer<UInt8>?) -> Int {
        guard let content = unsafe content else { return 0 }
        return unsafe UnsafeRawPointer(content - 40).loadUnaligned(as: Int.self) & ~7
    }

    @Test(arguments: [20, 150, 900])
    func `A store of 2 MiB uses at most 2 MiB`(size: Int) throws {
        let limit = 2 << 20
        let store = SimulatedStore(identity: "s", maximumBytes: limit, countsMemory: true)
        for number in 0..<40_000 {
            let topic = "home/attic/BTtoMQTT/\(100_000_000_000 + number)"
            let payload = [UInt8](repeating: UInt8(ascii: "x"), count: size)
            try store.append([Publication(topic: topic, payload: payload)])
        }
        let messages = try store.messages(after: 0, limit: 100_000)
        let places = messages.count * NumberedMessages.placeSize
        let total = messages.reduce(0) { $0 + allocated($1.publication) } + 2 * places
        #expect(store.summary.dropped > 0 && messages.count == store.summary.count)
        #expect(total <= limit && total > limit / 2, "\(total) bytes in \(messages.count) messages")
    }
}
