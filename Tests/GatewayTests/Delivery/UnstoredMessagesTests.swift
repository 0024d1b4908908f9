import Testing

@testable import Gateway

struct UnstoredMessagesTests {
    private func message(_ text: String, _ priority: Publication.Priority = .normal) -> Publication {
        var publication = Publication("t", text)
        publication.priority = priority
        return publication
    }

    private func texts(_ messages: inout UnstoredMessages) -> [String] {
        var texts: [String] = []
        while let first = messages.first {
            texts.append(first.text)
            messages.removeFirst()
        }
        return texts
    }

    @Test func `Messages that were put back come first within their priority`() {
        var messages = UnstoredMessages()
        for number in 0..<3 { messages.append(message("low \(number)", .low)) }
        for number in 0..<3 { messages.append(message("\(number)")) }
        messages.removeFirst()
        messages.append(message("3"))
        messages.putBack([message("a"), message("b"), message("low a", .low)])
        #expect(messages.count == 9)
        #expect(texts(&messages) == ["a", "b", "1", "2", "3", "low a", "low 0", "low 1", "low 2"])
        #expect(messages.isEmpty)
    }

    @Test(arguments: [false, true]) func `The messages of a transaction stay before later ones`(isStored: Bool) {
        var messages = UnstoredMessages()
        for number in 0..<3 { messages.append(message("\(number)")) }
        #expect(messages.lock().map(\.text) == ["0", "1", "2"])
        messages.append(message("3"))
        messages.append(message("4"))
        messages.putBack([message("a")])
        // One of the messages that do not run is dropped.
        #expect(messages.drop(above: 10) == 1)
        #expect(messages.count == 5 && messages.lockedCount == 3)
        if isStored { #expect(messages.removeLocked() == [.normal]) } else { messages.unlock() }
        #expect(texts(&messages) == (isStored ? [] : ["0", "1", "2"]) + ["3", "4"])
    }

    @Test func `The oldest messages of low priority are dropped first, and the last one stays`() {
        var messages = UnstoredMessages()
        for number in 0..<3 { messages.append(message("\(number)", number == 1 ? .low : .normal)) }
        #expect(messages.drop(above: 5) == 1)
        #expect(messages.drop(above: 0) == 1)
        #expect(texts(&messages) == ["2"])
    }

    @Test func `The work of a full queue for each message does not depend on its length`() throws {
        let ratio = try WorkRatio.ofFourTimes(20_000, input: { $0 }) { size in
            var messages = UnstoredMessages()
            _ = messages.lock()
            for _ in 0..<size { messages.append(message("x")) }
            for _ in 0..<size {
                messages.append(message("x"))
                _ = messages.drop(above: 2 * size)
            }
            for _ in 0..<size {
                messages.removeFirst()
                messages.putBack([message("x")])
            }
            #expect(messages.count == size)
        }
        #expect(ratio < WorkRatio.linear, "\(ratio)")
    }
}
