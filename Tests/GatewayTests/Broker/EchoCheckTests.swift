import Testing

@testable import Gateway

@Suite struct EchoCheckTests {
    @Test func `A confirmed message that does not arrive is missing once`() {
        var check = EchoCheck()
        check.sent("a/C0FFEE000001/owner")
        check.confirmed("a/C0FFEE000001/owner", at: .seconds(1))
        #expect(check.takeMissing(at: .seconds(10)) == [])
        #expect(check.due == .seconds(11))
        #expect(check.takeMissing(at: .seconds(11)) == ["a/+/owner"])
        check.sent("a/C0FFEE000002/owner")
        check.confirmed("a/C0FFEE000002/owner", at: .seconds(12))
        #expect(check.due == nil)
        #expect(check.takeMissing(at: .seconds(60)) == [])
    }

    @Test(arguments: [true, false])
    func `A message may arrive before and after its confirmation`(_ isFirst: Bool) {
        var check = EchoCheck()
        check.sent("a")
        if isFirst { check.received("a") }
        check.confirmed("a", at: .zero)
        if !isFirst { check.received("a") }
        #expect(check.takeMissing(at: .seconds(60)) == [])
    }

    @Test func `Only confirmed messages have to arrive`() {
        var check = EchoCheck()
        check.sent("unconfirmed")
        check.sent("refused")
        check.refused("refused")
        check.confirmed("never sent", at: .zero)
        #expect(check.takeMissing(at: .seconds(60)) == [])
    }

    @Test func `A flood of topics does not grow the memory`() {
        var check = EchoCheck()
        for number in 0..<1000 {
            check.sent("a/\(number)")
            check.confirmed("a/\(number)", at: .zero)
        }
        #expect(check.takeMissing(at: .seconds(60)).count == 64)
    }
}
