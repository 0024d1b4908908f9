import Testing

@testable import Gateway

/// How long messages of a resumed session may have waited.
@Suite struct SessionAgeTests {
    @Test func `Messages of a new session are not old`() {
        var age = SessionAge()
        age.connected(isSessionPresent: false, at: .seconds(100))
        #expect(age.waiting(at: .seconds(100)) == .none)
    }

    @Test func `Messages of a resumed session are as old as the last sign of the broker`() {
        var age = SessionAge()
        age.connected(isSessionPresent: false, at: .seconds(100))
        age.sign(at: .seconds(110))
        age.connected(isSessionPresent: true, at: .seconds(150))
        #expect(age.waiting(at: .seconds(151)) == .atMost(.seconds(41)))
        // What arrives in between is no sign that the rest is new.
        age.sign(at: .seconds(151))
        #expect(age.waiting(at: .seconds(152)) == .atMost(.seconds(42)))
        age.caughtUp()
        #expect(age.waiting(at: .seconds(153)) == .none)
        age.connected(isSessionPresent: true, at: .seconds(160))
        #expect(age.waiting(at: .seconds(160)) == .atMost(.seconds(9)))
    }

    @Test func `The session of an earlier process has an unknown age`() {
        var age = SessionAge()
        age.connected(isSessionPresent: true, at: .seconds(1))
        #expect(age.waiting(at: .seconds(2)) == .unknown)
    }

    @Test func `The store may know the age of an earlier process`() {
        var age = SessionAge(lastSign: .seconds(-10))
        age.connected(isSessionPresent: true, at: .seconds(1))
        #expect(age.waiting(at: .seconds(2)) == .atMost(.seconds(12)))
    }

    @Test func `Without the own message, messages count as new after half a minute`() {
        var age = SessionAge(lastSign: .seconds(-10))
        age.connected(isSessionPresent: true, at: .seconds(1))
        #expect(age.waiting(at: .seconds(30)) == .atMost(.seconds(40)))
        #expect(age.waiting(at: .seconds(31)) == .none)
    }
}
