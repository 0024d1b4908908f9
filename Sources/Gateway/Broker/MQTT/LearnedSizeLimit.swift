/// Learns from which size on messages make the broker close the connection. A pure value.
///
/// A broker of MQTT 3.1.1 does not announce its limit. If several messages close the connection, and are larger than
/// all that the broker has answered, their size is the probable cause. Larger messages to all topics are then not sent.
struct LearnedSizeLimit {
    private static let initialDelay: Duration = .seconds(600)
    private static let maximumDelay: Duration = .seconds(6 * 3600)
    /// Access rights or a bad network are the probable cause for smaller messages.
    private static let smallestLimit = 512
    /// After so many closures, the sizes that were answered before them are forgotten, because limits change.
    private static let period = 8
    /// A broker that restarts twice closes the connection during a single message too, so fewer closures prove nothing.
    private static let neededClosures = 3

    /// The size of the smallest message that closed the connection; nil if none did because of its size.
    private var closingSize: Int?
    /// The latest messages that may lower the limit: each was larger than all answers, and alone at a closure.
    private var candidates: [SendWindow.Sent] = []
    private var blockedUntil: Duration = .zero
    private var delay = LearnedSizeLimit.initialDelay
    // The largest messages that the broker has answered, in this period and the one before.
    private var largest = 0
    private var earlierLargest = 0
    private var closures = 0

    private var largestAnswered: Int { max(largest, earlierLargest) }

    /// The broker has closed the connection, and only this message was not confirmed.
    ///
    /// - Parameter isRepeated: Whether the message was not confirmed at an earlier closure either.
    mutating func closed(_ message: SendWindow.Sent, isRepeated: Bool, at now: Duration) {
        if let closingSize, message.size >= closingSize, now >= blockedUntil {
            delay = min(delay * 2, Self.maximumDelay)
            blockedUntil = now + delay
        }
        let isCandidate =
            message.size >= Self.smallestLimit && message.size > largestAnswered && message.size < closingSize ?? .max
        if isCandidate { candidates = candidates.suffix(Self.neededClosures - 1) + [message] }
        guard isRepeated else { return }
        closures += 1
        if closures % Self.period == 0 { (earlierLargest, largest) = (largest, 0) }
        let hasSeveralTopics = candidates.contains { $0.topic != message.topic }
        guard isCandidate, hasSeveralTopics || candidates.count == Self.neededClosures else { return }
        closingSize = candidates.map(\.size).min()
        candidates = []
        blockedUntil = now + delay
    }

    /// The broker has answered a message, so its size is allowed.
    mutating func answered(_ message: SendWindow.Sent) {
        largest = max(largest, message.size)
        candidates.removeAll { $0.size <= message.size }
        guard let closingSize, message.size >= closingSize else { return }
        self.closingSize = nil
        delay = Self.initialDelay
    }

    /// Returns why the message is not sent; nil if it may be sent.
    ///
    /// The limit of the refusal is a size that the broker probably accepts.
    func refusal(of publication: Publication, at now: Duration) -> BrokerRefusal? {
        guard let closingSize, now < blockedUntil, publication.size >= closingSize else { return nil }
        var refusal = BrokerRefusal(
            .tooLarge(limit: max(largestAnswered, closingSize / 2)), topic: publication.topic, size: publication.size,
            cause: "the broker closed the connection several times when it received a message of \(closingSize) bytes "
                + "or more, and has accepted none")
        refusal.retryDelay = blockedUntil - now
        return refusal
    }
}
