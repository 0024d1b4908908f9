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
        for number in 0..<1000 { suspects.closed([sent("\(number)")], at: .zero) }
        suspects.closed([sent("999")], at: .zero)
        #expect(suspects.refusal(of: message("999"), at: .zero) != nil)
        suspects.closed([sent("0")], at: .zero)
        #expect(suspects.refusal(of: message("0"), at: .zero) == nil)
    }
}
