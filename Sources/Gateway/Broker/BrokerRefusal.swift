/// Why a message was not delivered.
public struct BrokerRefusal: Error, Hashable, Sendable {
    /// What the refusal means for the message.
    public enum Kind: Hashable, Sendable {
        /// The same message may be accepted later, for example when a quota is free again.
        case temporary
        /// The access rights do not allow the topic.
        case accessDenied
        /// The broker does not accept the topic or the content.
        case invalid
        /// The message is larger than the broker accepts; the limit of a whole packet in bytes, if it is known or was
        /// learned.
        case tooLarge(limit: Int?)
        /// The broker has closed the connection twice when it received the message. It is tried again after a long
        /// time.
        case closesConnection
    }

    public var kind: Kind
    /// The topic of the message.
    public var topic: String
    /// The number of bytes of the topic and the content.
    public var size: Int
    /// The reason, one phrase.
    public var cause: String
    /// After how long the connection sends such a message again; nil if that was not learned.
    var retryDelay: Duration?

    /// Creates a refusal.
    public init(_ kind: Kind, topic: String, size: Int = 0, cause: String) {
        self.kind = kind
        self.topic = topic
        self.size = size
        self.cause = cause
    }

    /// Whether a stored message stays in the store, and is sent again later.
    public var keepsMessage: Bool {
        switch kind {
        case .temporary, .tooLarge, .closesConnection: true
        case .accessDenied, .invalid: false
        }
    }
}

extension BrokerRefusal {
    /// One line with the topic, the reason and what to do.
    var line: String {
        switch kind {
        case .temporary:
            "the broker refuses messages to \(topic) for now: \(cause); they wait and are sent again, "
                + "check the quotas of the broker"
        case .accessDenied:
            "the broker refused a message to \(topic), which is lost: \(cause); check the access rights in the broker"
        case .invalid: "a message to \(topic) cannot be sent and is lost: \(cause); check the topic"
        case .tooLarge:
            "a message to \(topic) was not sent: \(cause); raise the limit in the broker, after which a reading is sent; "
                + "a discovery is made again with fewer entities"
        case .closesConnection:
            "a message of \(size) bytes to \(topic) is set aside: \(cause); check the limit of the packet size, the "
                + "access rights and retained messages in the broker. A reading is tried again later"
        }
    }
}
