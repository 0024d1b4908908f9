/// How much of what other clients send is accepted. The rest is ignored and counted.
public struct ReceivingLimit: Sendable {
    /// The largest payload in bytes.
    public var maximumBytes = 64 << 10
    /// The most messages in a second on average.
    public var messagesPerSecond = 200
    /// The most messages at once.
    public var burst = 200

    enum Verdict: Equatable {
        case accepted
        case ignored(DeliveryNotice?)
    }

    /// Ignored messages are reported at most once in this time.
    static let reportInterval: Duration = .seconds(60)
    private var rate = RateLimit()
    /// The ignored messages since the start.
    private(set) var ignoredCount = 0
    private var unreportedCount = 0
    private var lastCause = ""
    private var reports = MinimumInterval(ReceivingLimit.reportInterval)

    /// Creates the default limits.
    public init() {}

    /// The limit for topics of sharing: a subscription delivers the reports of all gateways and devices at once.
    public static var sharing: ReceivingLimit {
        var limit = ReceivingLimit()
        limit.burst = 20_000
        return limit
    }

    mutating func check(_ message: ReceivedMessage, at now: Duration) -> Verdict {
        guard message.payload.count <= maximumBytes else {
            return ignore("a payload exceeds \(maximumBytes) bytes", now)
        }
        let interval = Duration.nanoseconds(1_000_000_000 / max(1, messagesPerSecond))
        guard rate.take(at: now, every: interval, burst: burst) else {
            return ignore("more than \(messagesPerSecond) messages a second after \(burst) at once", now)
        }
        return .accepted
    }

    /// Counts a message that was not kept because of its size.
    mutating func skip(topic: String, size: Int, at now: Duration) -> Verdict {
        ignore("a message of \(size) bytes to \(topic.prefix(100)) is too large", now)
    }

    private mutating func ignore(_ cause: String, _ now: Duration) -> Verdict {
        ignoredCount += 1
        unreportedCount += 1
        lastCause = cause
        guard reports.earliest(at: now) <= now else { return .ignored(nil) }
        return .ignored(takeNotice(at: now))
    }

    /// Returns a notice of the ignored messages since the last one; nil if there are none.
    mutating func takeNotice(at now: Duration) -> DeliveryNotice? {
        guard unreportedCount > 0 else { return nil }
        reports.happened(at: now)
        defer { unreportedCount = 0 }
        return .receivedIgnored(count: unreportedCount, cause: lastCause)
    }
}
