/// A message for an MQTT topic.
public struct Publication: Hashable, Sendable {
    /// The topic, without wildcards.
    public var topic: String
    /// The content, usually JSON in UTF-8.
    public var payload: [UInt8]
    /// The number of confirmations: 0 for none, 1 for delivery at least once. The gateway does not use 2.
    public var qualityOfService: UInt8
    /// Whether the broker keeps the message for later subscribers.
    public var isRetained: Bool
    /// Whether it is stored and sent before others.
    public var priority = Priority.normal

    /// Creates a message.
    public init(topic: String, payload: [UInt8], qualityOfService: UInt8 = 1, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.qualityOfService = qualityOfService
        self.isRetained = isRetained
    }
}

/// A message that arrived from the broker.
public struct ReceivedMessage: Hashable, Sendable {
    /// The topic of the message.
    public var topic: String
    /// The content. It is hostile until it was decoded.
    public var payload: [UInt8]
    /// Whether the message is older than the subscription.
    public var isRetained: Bool
    /// How long the message was still valid when the broker sent it, by the message expiry interval of MQTT 5; nil if
    /// the sender has not limited it. The broker does not deliver it later.
    public var expiry: Duration?
    /// How long the message may have waited in the socket, because the process did not run.
    public var delay = Duration.zero
    /// Whether the broker may have kept the message while the gateway was not connected.
    ///
    /// True after a connection with a present session, until the broker has delivered what it kept.
    public var mayHaveWaited: Bool
    /// How long the message may have waited at the broker, and in the socket.
    public var waiting = Waiting.none

    /// How long a message may have waited at the broker because the gateway was not connected.
    public enum Waiting: Hashable, Sendable {
        /// The gateway was connected when the message was sent.
        case none
        /// At most since the end of the connection before.
        case atMost(Duration)
        /// The connection before belonged to another process, and its end is not known.
        case unknown

        /// Adds a time for which the message may have waited in the socket.
        func orAtMost(_ delay: Duration) -> Waiting {
            switch self {
            case .none: .atMost(delay)
            case .atMost(let waiting): .atMost(max(waiting, delay))
            case .unknown: .unknown
            }
        }
    }

    /// Creates a message, for tests.
    public init(
        topic: String, payload: [UInt8], isRetained: Bool = false, expiry: Duration? = nil, mayHaveWaited: Bool = false
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.expiry = expiry
        self.mayHaveWaited = mayHaveWaited
    }
}
