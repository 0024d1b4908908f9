/// Finds messages that make the broker close the connection, for example because they are too large for it.
///
/// MQTT 3.1.1 has no other answer to them. After a closure with several unconfirmed messages, the next connection sends
/// them one by one. A message that was unconfirmed twice, and alone the second time, is refused for a while. Messages
/// to the same topic that are about as large or larger share its fate, and those to all topics if ``LearnedSizeLimit``
/// finds that the size is the cause.
struct ClosingSuspects {
    private struct Suspect {
        /// Counts suspects, so that the oldest one can be removed.
        let number: Int
        var size: Int
        var closures = 1
        var blockedUntil: Duration?
        var delay = ClosingSuspects.initialDelay
    }

    private static let initialDelay: Duration = .seconds(600)
    private static let maximumDelay: Duration = .seconds(6 * 3600)
    private static let maximumCount = 64

    private var suspects: [String: Suspect] = [:]
    private var count = 0
    private var sizeLimit = LearnedSizeLimit()
    /// How many messages the next connection sends one by one.
    private(set) var cautiousCount = 0

    /// The broker has closed the connection. Messages that the broker has not confirmed are in the order of sending.
    mutating func closed(_ unconfirmed: [SendWindow.Sent], at now: Duration) {
        guard !unconfirmed.isEmpty else { return }
        cautiousCount = max(cautiousCount, unconfirmed.count)
        for message in unconfirmed { add(message, isAlone: unconfirmed.count == 1, now) }
    }

    private mutating func add(_ message: SendWindow.Sent, isAlone: Bool, _ now: Duration) {
        let known = suspects[message.topic].flatMap { Self.isLike(message.size, $0) ? $0 : nil }
        if isAlone { sizeLimit.closed(message, isRepeated: known != nil, at: now) }
        guard var suspect = known else {
            if suspects[message.topic] == nil, suspects.count >= Self.maximumCount { removeOne() }
            count += 1
            suspects[message.topic] = Suspect(number: count, size: message.size)
            return
        }
        suspect.size = min(suspect.size, message.size)
        if isAlone {
            suspect.closures += 1
            suspect.blockedUntil = now + suspect.delay
            suspect.delay = min(suspect.delay * 2, Self.maximumDelay)
        }
        suspects[message.topic] = suspect
    }

    private mutating func removeOne() {
        // Suspects that are not refused go first.
        let oldest = suspects.min { one, other in
            let (end, otherEnd) = (one.value.blockedUntil ?? .zero, other.value.blockedUntil ?? .zero)
            return end == otherEnd ? one.value.number < other.value.number : end < otherEnd
        }
        if let oldest { suspects[oldest.key] = nil }
    }

    /// The broker has answered a message, so the message did not close the connection.
    mutating func answered(_ message: SendWindow.Sent) {
        cautiousCount = max(0, cautiousCount - 1)
        sizeLimit.answered(message)
        if let suspect = suspects[message.topic], Self.isLike(message.size, suspect) { suspects[message.topic] = nil }
    }

    /// Returns why the message is not sent; nil if it may be sent.
    func refusal(of publication: Publication, at now: Duration) -> BrokerRefusal? {
        if let refusal = sizeLimit.refusal(of: publication, at: now) { return refusal }
        guard let suspect = suspects[publication.topic], let end = suspect.blockedUntil, now < end,
            Self.isLike(publication.size, suspect)
        else { return nil }
        var refusal = BrokerRefusal(
            .closesConnection, topic: publication.topic, size: publication.size,
            cause: "the broker closed the connection \(suspect.closures) times when it received the message")
        refusal.retryDelay = end - now
        return refusal
    }

    private static func isLike(_ size: Int, _ suspect: Suspect) -> Bool { size >= suspect.size - suspect.size / 8 }
}
