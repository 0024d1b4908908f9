import FoundationEssentials
import RxBluetooth
import Testing

@testable import Gateway

/// The age of commands, by their own time, by an expiry of MQTT 5, and by the session.
@Suite struct CommandAgeTests {
    private static let time = Date(timeIntervalSince1970: 1_700_000_000)

    struct Row: CustomTestStringConvertible {
        var created = ""
        var hasExpiry = false
        var waiting = ReceivedMessage.Waiting.none
        var kind: String?

        var testDescription: String { "\(created) \(hasExpiry) \(waiting)" }
    }

    static let rows: [Row] = [
        Row(),
        Row(waiting: .atMost(.seconds(5))),
        Row(waiting: .atMost(.seconds(30))),
        Row(waiting: .atMost(.seconds(31)), kind: "expired"),
        Row(waiting: .atMost(.seconds(40)), kind: "expired"),
        Row(waiting: .unknown, kind: "expired"),
        // The broker has dropped what is too old.
        Row(hasExpiry: true, waiting: .unknown),
        Row(hasExpiry: true, waiting: .atMost(.seconds(3600))),
        // The time of the command itself counts first.
        Row(created: #","created":1699999995"#, waiting: .unknown),
        Row(created: #","created":1699999960"#, kind: "expired"),
        Row(created: #","created":1699999960"#, hasExpiry: true, kind: "expired"),
        Row(created: #","created":"2023-11-14T22:13:15Z""#, waiting: .atMost(.seconds(3600))),
        Row(created: #","created":"2023-11-14T22:13:15.500Z""#),
        Row(created: #","created":"2023-11-14T23:13:15+01:00""#),
        Row(created: #","created":"2023-11-14T22:12:00Z""#, kind: "expired"),
        // Clocks differ a little.
        Row(created: #","created":1700000020"#),
        Row(created: #","created":1700000031"#, kind: "expired"),
        Row(created: #","created":"2123-11-14T22:12:00Z""#, kind: "expired"),
        Row(created: #","created":"yesterday""#, kind: "invalid-command"),
        Row(created: #","created":""#, kind: "invalid-json"),
        Row(created: #","created":null"#, kind: "invalid-command"),
        Row(created: #","created":1e300"#, kind: "invalid-command"),
        Row(created: #","created":-1e300"#, kind: "invalid-command"),
    ]

    @Test(arguments: rows) func `A command older than the maximum age is answered with “expired”`(row: Row) {
        var book = CommandBook(allowed: [.strap])
        let payload = Array(#"{"id":"1","read":"2A19"\#(row.created)}"#.utf8)
        var message = ReceivedMessage(topic: "t", payload: payload, expiry: row.hasExpiry ? .seconds(60) : nil)
        message.waiting = row.waiting
        let admission = book.receive(message, for: .strap, now: .seconds(9), time: Self.time)
        switch admission {
        case .accepted(let command, _): #expect(row.kind == nil && command.arrival == .seconds(9))
        case .refused(let id, let failure):
            #expect(failure.kind == row.kind, "\(failure.text)")
            #expect(id == (row.kind == "invalid-json" ? nil : "1"))
        case .ignored: Issue.record("ignored")
        }
        #expect(book.count == (row.kind == nil ? 1 : 0))
        #expect(book.expiredCount == (row.kind == "expired" ? 1 : 0))
    }

    @Test func `The maximum age is a setting, and an expired command may be sent again`() {
        var book = CommandBook(allowed: [.strap], maximumAge: .seconds(60))
        var message = ReceivedMessage(topic: "t", payload: Array(#"{"id":"1","read":"2A19"}"#.utf8))
        message.waiting = .atMost(.seconds(61))
        guard case .refused = book.receive(message, for: .strap, now: .zero, time: Self.time) else {
            return #expect(Bool(false))
        }
        message.waiting = .atMost(.seconds(60))
        guard case .accepted = book.receive(message, for: .strap, now: .zero, time: Self.time) else {
            return #expect(Bool(false))
        }
        // A repetition of an executed command stays without an answer, however old it is.
        message.waiting = .unknown
        #expect(book.receive(message, for: .strap, now: .zero, time: Self.time) == .ignored)
    }

    @Test func `Identifiers of earlier processes are not executed again`() {
        let payload = Array(#"{"id":"1","read":"2A19"}"#.utf8)
        let used = UsedIdentifier(address: .strap, id: "1", fingerprint: UsedIdentifier.fingerprint(of: payload))
        var book = CommandBook(allowed: [.strap], used: [used])
        let message = ReceivedMessage(topic: "t", payload: payload)
        #expect(book.receive(message, for: .strap, now: .zero, time: Self.time) == .ignored)
        let other = ReceivedMessage(topic: "t", payload: Array(#"{"id":"1","read":"2A38"}"#.utf8))
        guard case .refused(_, let failure) = book.receive(other, for: .strap, now: .zero, time: Self.time) else {
            return #expect(Bool(false))
        }
        #expect(failure.kind == "duplicate")
    }

    // Source: the vectors of FNV-1a by its authors.
    @Test(arguments: [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)])
    func `The fingerprint is the same in each process`(text: String, value: UInt64) {
        #expect(UsedIdentifier.fingerprint(of: Array(text.utf8)) == value)
    }
}
