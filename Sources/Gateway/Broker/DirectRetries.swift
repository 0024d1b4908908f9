/// Messages without a place in the store that the broker refused for now. The latest of each topic is sent again.
struct DirectRetries {
    private static let initialDelay: Duration = .seconds(5)
    private static let maximumDelay: Duration = .seconds(60)
    private static let maximumCount = 200

    private var messages: [String: Publication] = [:]
    private var delay = DirectRetries.initialDelay
    private var isPlanned = false

    /// Keeps a refused message. Returns the delay until ``take()`` if none is planned; nil otherwise.
    mutating func refused(_ publication: Publication) -> Duration? {
        guard messages[publication.topic] != nil || messages.count < Self.maximumCount else { return nil }
        messages[publication.topic] = publication
        guard !isPlanned else { return nil }
        isPlanned = true
        defer { delay = min(delay * 2, Self.maximumDelay) }
        return delay
    }

    /// A later message replaces a refused one.
    mutating func published(to topic: String) { messages[topic] = nil }

    /// Returns what to send again.
    mutating func take() -> [Publication] {
        defer { messages = [:] }
        isPlanned = false
        return messages.values.sorted { $0.topic < $1.topic }
    }

    /// A new connection publishes everything again.
    mutating func closed() { self = DirectRetries() }
}
