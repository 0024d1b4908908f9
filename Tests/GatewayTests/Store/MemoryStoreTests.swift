import Testing

@testable import Gateway

/// The memory of a store without a file.
@Suite struct MemoryStoreTests {
    /// The bytes that the allocator has given to a message, in blocks of 16 bytes with a header of 8.
    private func allocated(_ publication: Publication) -> Int {
        // Buffers of Swift have a header of 32 bytes. The capacity of an array is what its block can hold.
        let topic = publication.topic.utf8.count
        return publication.payload.capacity + 32 + 8 + (topic > 15 ? (32 + topic + 1 + 8 + 15) / 16 * 16 : 0)
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

    @Test func `A message that stays does not keep the places of later ones`() {
        var messages = NumberedMessages()
        messages.append(Publication("t", "first"), number: 1)
        for number in Int64(2)...50_000 {
            messages.append(Publication("t", "x"), number: number)
            if number % 1000 != 0 { _ = messages.remove(number) }
        }
        #expect(messages.placeCount < 3000)
        #expect(messages.messages(after: 0, limit: 3).map(\.number) == [1, 1000, 2000])
        #expect(messages.messages(after: 49_000, limit: 3).map(\.number) == [50_000])
        let (removed, kept) = (messages.remove(49_999), messages.remove(2000))
        #expect(removed == nil && kept != nil)
        let first = messages.removeFirst()
        #expect(first?.text == "first")
        #expect(messages.messages(after: 0, limit: 2).map(\.number) == [1000, 3000])
    }
}
