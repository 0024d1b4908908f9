import Testing

@testable import Gateway

@Suite struct ClosingSuspectsTests {
    private func sent(_ topic: String, _ size: Int = 1000) -> SendWindow.Sent {
        SendWindow.Sent(token: 1, topic: topic, size: size, number: 1)
    }

    private func message(_ topic: String, _ size: Int = 1000) -> Publication {
        Publication(topic: topic, payload: [UInt8](repeating: 0, count: size - topic.utf8.count))
    }

    @Test func `A message that is alone at the second closure is set aside`() {
        var suspects = ClosingSuspects()
        suspects.closed([sent("a"), sent("b"), sent("c")], at: .zero)
        #expect(suspects.cautiousCount == 3)
        #expect(suspects.refusal(of: message("b"), at: .zero) == nil)
        suspects.answered(sent("a"))
        suspects.closed([sent("b")], at: .seconds(1))
        let refusal = suspects.refusal(of: message("b"), at: .seconds(2))
        #expect(refusal?.kind == .closesConnection)
        #expect(refusal?.cause == "the broker closed the connection 2 times when it received the message")
        #expect(suspects.refusal(of: message("c"), at: .seconds(2)) == nil)
    }

    @Test func `Two closures with different messages set nothing aside`() {
        var suspects = ClosingSuspects()
        suspects.closed([sent("a")], at: .zero)
        suspects.closed([sent("b")], at: .zero)
        #expect(suspects.refusal(of: message("a"), at: .zero) == nil)
        #expect(suspects.refusal(of: message("b"), at: .zero) == nil)
    }

    @Test func `A confirmed message is no suspect any more`() {
        var suspects = ClosingSuspects()
        suspects.closed([sent("a")], at: .zero)
        suspects.answered(sent("a"))
        #expect(suspects.cautiousCount == 0)
        suspects.closed([sent("a")], at: .zero)
        #expect(suspects.refusal(of: message("a"), at: .zero) == nil)
    }

    @Test func `A much smaller message to the same topic is sent`() {
        var suspects = ClosingSuspects()
        suspects.closed([sent("a")], at: .zero)
        suspects.closed([sent("a", 1010)], at: .zero)
        #expect(suspects.refusal(of: message("a", 990), at: .zero) != nil)
        #expect(suspects.refusal(of: message("a", 5000), at: .zero) != nil)
        #expect(suspects.refusal(of: message("a", 800), at: .zero) == nil)
    }

    @Test func `A message is tried again after increasing times`() {
        var suspects = ClosingSuspects()
        suspects.closed([sent("a")], at: .zero)
        suspects.closed([sent("a")], at: .zero)
        #expect(suspects.refusal(of: message("a"), at: .seconds(599)) != nil)
        #expect(suspects.refusal(of: message("a"), at: .seconds(600)) == nil)
        suspects.closed([sent("a")], at: .seconds(600))
        #expect(suspects.refusal(of: message("a"), at: .seconds(600 + 1199)) != nil)
        #expect(suspects.refusal(of: message("a"), at: .seconds(600 + 1200)) == nil)
    }

    @Test func `The number of suspects is limited`() {
        var suspects = ClosingSuspects()
        // So the size is not the cause.
        suspects.answered(sent("large", 2000))
        for number in 0..<1000 { suspects.closed([sent("\(number)")], at: .zero) }
        suspects.closed([sent("999")], at: .zero)
        #expect(suspects.refusal(of: message("999"), at: .zero) != nil)
        suspects.closed([sent("0")], at: .zero)
        #expect(suspects.refusal(of: message("0"), at: .zero) == nil)
    }

    @Test func `The size of a message that closes the connection is learned for all topics`() {
        var suspects = ClosingSuspects()
        suspects.answered(sent("small", 600))
        suspects.closed((0..<100).map { sent("\($0)", 5000 + $0) }, at: .zero)
        suspects.closed([sent("70", 5070)], at: .zero)
        #expect(suspects.refusal(of: message("other", 6000), at: .zero) == nil)
        suspects.closed([sent("71", 5071)], at: .zero)
        let refusal = suspects.refusal(of: message("other", 6000), at: .zero)
        #expect(refusal?.kind == .tooLarge(limit: 2535))
        let cause = "the broker closed the connection several times when it received a message of 5070 bytes"
        #expect(refusal?.cause.hasPrefix(cause) == true)
        #expect(suspects.refusal(of: message("other", 5069), at: .zero) == nil)
        // A smaller one lowers the limit.
        for _ in 0..<3 { suspects.closed([sent("9", 3000)], at: .zero) }
        #expect(suspects.refusal(of: message("other", 3000), at: .zero)?.kind == .tooLarge(limit: 1500))
    }

    @Test func `A broker that restarts twice while messages are in flight teaches no limit`() {
        var suspects = ClosingSuspects()
        suspects.closed([sent("a"), sent("b")], at: .zero)
        suspects.closed([sent("a")], at: .zero)
        let refusal = suspects.refusal(of: message("a"), at: .seconds(100))
        #expect(refusal?.kind == .closesConnection && refusal?.retryDelay == .seconds(500))
        #expect(suspects.refusal(of: message("b"), at: .zero) == nil)
        // An answer shows that the size was not the cause.
        suspects.answered(sent("c", 1000))
        for _ in 0..<2 { suspects.closed([sent("d", 2000)], at: .zero) }
        #expect(suspects.refusal(of: message("e", 2000), at: .zero) == nil)
    }

    @Test func `A learned limit is not below the largest message that was answered`() {
        var suspects = ClosingSuspects()
        suspects.answered(sent("a", 4000))
        for _ in 0..<3 { suspects.closed([sent("b", 4000)], at: .zero) }
        #expect(suspects.refusal(of: message("c", 9000), at: .zero) == nil)
        for _ in 0..<3 { suspects.closed([sent("b", 5000)], at: .zero) }
        #expect(suspects.refusal(of: message("c", 9000), at: .zero)?.kind == .tooLarge(limit: 4000))
    }

    @Test func `A small message that closes the connection teaches no limit`() {
        var suspects = ClosingSuspects()
        for _ in 0..<3 { suspects.closed([sent("a", 300)], at: .zero) }
        #expect(suspects.refusal(of: message("a", 300), at: .zero)?.kind == .closesConnection)
        #expect(suspects.refusal(of: message("b", 9000), at: .zero) == nil)
    }

    @Test func `A learned limit is tried again after increasing times, and ends with an answer`() {
        var suspects = ClosingSuspects()
        for _ in 0..<3 { suspects.closed([sent("a", 2000)], at: .zero) }
        #expect(suspects.refusal(of: message("b", 3000), at: .seconds(100))?.retryDelay == .seconds(500))
        #expect(suspects.refusal(of: message("b", 3000), at: .seconds(599)) != nil)
        #expect(suspects.refusal(of: message("b", 3000), at: .seconds(600)) == nil)
        suspects.closed([sent("b", 3000)], at: .seconds(600))
        #expect(suspects.refusal(of: message("c", 2000), at: .seconds(1799)) != nil)
        #expect(suspects.refusal(of: message("c", 2000), at: .seconds(1800)) == nil)
        suspects.answered(sent("c", 3000))
        #expect(suspects.refusal(of: message("d", 3000), at: .seconds(600)) == nil)
    }

    @Test func `A broker with a lower limit than before is learned after some closures`() {
        var suspects = ClosingSuspects()
        suspects.answered(sent("old", 9000))
        var closures = 0
        for number in 0..<100 where suspects.refusal(of: message("\(number)", 3000), at: .zero) == nil {
            for _ in 0..<2 { suspects.closed([sent("\(number)", 3000)], at: .zero) }
            closures += 2
        }
        #expect((2...40).contains(closures), "\(closures)")
    }
}
