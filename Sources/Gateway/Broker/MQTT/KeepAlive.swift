/// When a connection needs a packet, and when its broker does not answer any more.
struct KeepAlive {
    enum Verdict: Equatable {
        case wait(Duration)
        case ping
        case lost
    }

    /// A broker with a short interval gets this time for an answer.
    private static let shortestAnswerTime: Duration = .seconds(10)

    /// The longest time between two packets of the gateway.
    var interval: Duration
    private var lastSent: Duration
    private var lastReceived: Duration
    private var firstUnanswered: Duration?
    private var unansweredCount = 0

    init(_ interval: Duration, at now: Duration) {
        self.interval = interval
        lastSent = now
        lastReceived = now
    }

    mutating func sent(at now: Duration) { lastSent = now }
    mutating func received(at now: Duration) { lastReceived = now }

    mutating func pinged(at now: Duration) {
        lastSent = now
        unansweredCount += 1
        if firstUnanswered == nil { firstUnanswered = now }
    }

    /// Returns whether all requests are answered. An answer without a request changes nothing.
    mutating func answered() -> Bool {
        guard unansweredCount > 0 else { return false }
        unansweredCount -= 1
        firstUnanswered = unansweredCount == 0 ? nil : lastReceived
        return unansweredCount == 0
    }

    /// - Parameter isInPacket: Whether a packet has begun. No answer can arrive before its end.
    func check(at now: Duration, isInPacket: Bool) -> Verdict {
        let period = interval * 3 / 4
        var next = lastSent + period
        if let firstUnanswered {
            let start = isInPacket ? max(firstUnanswered, lastReceived) : firstUnanswered
            let deadline = start + max(interval, Self.shortestAnswerTime)
            guard now < deadline else { return .lost }
            guard now < next else { return .ping }
            next = min(next, deadline)
        } else {
            next = min(next, lastReceived + period)
        }
        return now < next ? .wait(next - now) : .ping
    }
}
