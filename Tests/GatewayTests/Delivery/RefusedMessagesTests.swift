import Testing

@testable import Gateway

struct RefusedMessagesTests {
    /// A message of two bytes.
    private func message(_ number: Int64, _ priority: Publication.Priority = .normal) -> StoredPublication {
        var publication = Publication("t", "x")
        publication.priority = priority
        return StoredPublication(number: number, publication: publication)
    }

    @Test func `Messages of low priority are dropped before older ones of normal priority`() {
        var messages = RefusedMessages()
        var dropped = 0
        for number: Int64 in 1...3 { dropped += messages.add(message(number), upTo: 8) }
        for number: Int64 in 4...9 { dropped += messages.add(message(number, .low), upTo: 8) }
        #expect(dropped == 5 && messages.count == 4 && messages.bytes == 8)
        dropped += messages.add(message(10), upTo: 8)
        dropped += messages.add(message(11), upTo: 8)
        #expect(dropped == 7)
        #expect(messages.take().map(\.number) == [2, 3, 10, 11])
        #expect(messages.count == 0 && messages.bytes == 0)
    }

    @Test func `Only messages of low priority make room for others`() {
        var messages = RefusedMessages()
        for number: Int64 in 1...4 { _ = messages.add(message(number, number < 3 ? .normal : .low), upTo: 100) }
        #expect(messages.dropLow(above: 6) == 1)
        #expect(messages.dropLow(above: 0) == 1)
        #expect(messages.take().map(\.number) == [1, 2])
    }

    @Test func `Messages are returned in the order in which they were sent`() {
        var messages = RefusedMessages()
        for number: Int64 in [3, 1, 2] { _ = messages.add(message(number, number == 1 ? .low : .normal), upTo: 100) }
        #expect(messages.take().map(\.number) == [1, 2, 3])
    }
}
