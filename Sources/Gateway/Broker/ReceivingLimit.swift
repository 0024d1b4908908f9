/// How much of what other clients send is accepted. The rest is ignored and counted.
public struct ReceivingLimit: Sendable {
    /// The largest payload in bytes.
    public var maximumBytes = 64 << 10
    /// The most messages in a second.
    public var messagesPerSecond = 200

    enum Verdict: Equatable {
        case accepted
        case ignored(DeliveryNotice?)
    }

    /// Ignored messages are reported at most once in this time.
    private static let reportInterval: Duration = .seconds(60)
    private var pace: Pace?
    private var ignoredCount = 0
    private var lastReport: Duration?

    /// Creates the default limits.
    public init() {}

    mutating func check(_ message: ReceivedMessage, at now: Duration) -> Verdict {
        guard message.payload.count <= maximumBytes else {
            return ignore("a payload exceeds \(maximumBytes) bytes", now)
        }
        var pace = self.pace ?? Pace(perSecond: messagesPerSecond)
        defer { self.pace = pace }
        return pace.take(now) ? .accepted : ignore("more than \(messagesPerSecond) messages in a second", now)
    }

    private mutating func ignore(_ cause: String, _ now: Duration) -> Verdict {
        ignoredCount += 1
        guard lastReport.map({ now >= $0 + Self.reportInterval }) ?? true else { return .ignored(nil) }
        lastReport = now
        defer { ignoredCount = 0 }
        return .ignored(.receivedIgnored(count: ignoredCount, cause: cause))
    }
}
