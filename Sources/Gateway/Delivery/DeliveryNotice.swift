/// What a user should know about the connection to the broker and about the store.
public enum DeliveryNotice: Hashable, Sendable, CustomStringConvertible {
    /// The broker accepted the connection.
    case connected
    /// There is no connection; the next attempt follows after the delay, or none if it is nil.
    case closed(BrokerFailure, retry: Duration?)
    /// Messages cannot be stored or read. They are kept in memory, and the store is tried again.
    case storeFailed(StoreFailure)
    /// Messages are stored again; the number of messages without a place is that since the start.
    case storeRecovered(droppedCount: Int)
    /// The store is full, and has removed its oldest messages. Reported once, until the backlog was sent.
    case storeOverflowed
    /// The broker has confirmed the backlog; the number of messages that were removed since the store was full.
    case storeDrained(droppedCount: Int)
    /// The file of the store was damaged; it was renamed, and a new one begun, with a new identity in its ids.
    case storeReplaced(keptAt: String, cause: String, identity: String)
    /// The new file has these messages of the damaged one; the others follow after the next start.
    case recoveryInterrupted(count: Int)
    /// The messages of the damaged file that could be read are in the new one; the number of others if it is known.
    case messagesRecovered(count: Int, lost: Int?)
    /// The end of the log of the store was damaged, for example by a worn memory card. What precedes it was kept.
    case storeDamaged(cause: String)
    /// Messages in the store were damaged, for example by a worn memory card. They were removed.
    case messagesDamaged(count: Int)
    /// Identifiers of commands, counters of encrypted packets or the last confirmation were damaged. They are ignored.
    case stateDamaged(count: Int)
    /// On a full disk, identifiers of commands and counters of encrypted packets could not be read at the start.
    case stateUnread(cause: String)
    /// The broker did not confirm messages, so the connection is made again.
    case confirmationsMissing
    /// The broker refused a message. Reported once for a topic, a cause and a connection, up to a limit.
    case messageRefused(BrokerRefusal)
    /// The broker refused messages to further topics; their number since the last such notice.
    case furtherRefused(topics: Int)
    /// The broker keeps no retained messages. Reported once, until a connection to a broker that keeps them.
    case retainUnavailable
    /// The broker refused a subscription. Reported once for a filter, a cause and a connection.
    case subscriptionRefused(filter: String, cause: String)
    /// The broker refused to end a subscription. Reported once for a filter, a cause and a connection.
    case subscriptionEndRefused(filter: String, cause: String)
    /// The broker confirmed a message, but did not deliver it to the subscription of the gateway. Reported once for a
    /// topic, in which `+` stands for addresses of devices, and a connection.
    case notDelivered(topic: String)
    /// Messages of other clients were ignored, because they were too large or too many.
    case receivedIgnored(count: Int, cause: String)

    /// Whether something is wrong.
    public var isProblem: Bool {
        switch self {
        case .connected, .storeRecovered, .storeDrained, .messagesRecovered(_, 0?): false
        case .closed(let failure, _): failure.kind != .requested
        case .storeFailed, .storeOverflowed, .storeReplaced, .recoveryInterrupted, .messagesRecovered, .storeDamaged,
            .messagesDamaged, .stateDamaged, .stateUnread, .confirmationsMissing, .messageRefused, .furtherRefused,
            .retainUnavailable, .subscriptionRefused, .subscriptionEndRefused, .notDelivered, .receivedIgnored:
            true
        }
    }

    /// One line.
    public var description: String {
        switch self {
        case .connected: "connected to the broker"
        case .closed(let failure, let retry?): "\(failure); next attempt in \(retry.inSeconds) s"
        case .closed(let failure, nil): "\(failure)"
        case .storeFailed(let failure): "\(failure); until it works again, readings are sent from memory"
        case .storeRecovered(0): "readings are stored again, none was lost"
        case .storeRecovered(let count): "readings are stored again; \(count) were lost since the start"
        case .storeOverflowed:
            "the store is full: the oldest readings are lost until the broker accepts the others; "
                + "“store.maximum-size” sets its size"
        case .storeDrained(let count): "the readings of the full store were sent; \(count) older ones were lost"
        case .storeReplaced(let path, let cause, let identity):
            "the store was damaged (\(cause)): it was kept as \(path), and a new one begun; what is readable is "
                + "copied, and new ids begin with \(identity)"
        case .recoveryInterrupted(let count):
            "\(count) readings of the damaged store were recovered; the others could not be read or stored, and "
                + "follow after the next start: make room on the disk, check its files, and restart the gateway"
        case .messagesRecovered(let count, let lost):
            "\(count) readings of the damaged store were recovered, and are sent with new ids; "
                + (lost.map { $0 == 0 ? "none was lost" : "\($0) were lost" } ?? "others may be lost")
        case .storeDamaged(let cause):
            "the store was damaged (\(cause)): readings that were stored last may be lost; check the disk"
        case .messagesDamaged(let count):
            "\(count) readings in the store were damaged, and are lost; check the disk"
        case .stateDamaged(let count):
            "\(count) identifiers of commands or counters of sensors in the store were damaged, and are ignored; "
                + "check the disk"
        case .stateUnread(let cause):
            "the ids of earlier commands and the counters of sensors were not read (\(cause)): commands with such an "
                + "id are refused, and recorded packets may be accepted; make room on the disk, and restart the gateway"
        case .confirmationsMissing: "the broker does not confirm messages; connecting again"
        case .messageRefused(let refusal): refusal.line
        case .furtherRefused(let count):
            "the broker refused messages to \(count) further \(count == 1 ? "topic" : "topics"), which are not named; "
                + "earlier lines name others with the causes"
        case .retainUnavailable:
            "the broker keeps no retained messages: discovery, status and the roles of shared devices are missing for "
                + "each client that connects later; allow retained messages in the broker"
        case .subscriptionRefused(let filter, let cause):
            "the broker refused the subscription to \(filter): \(cause); check the access rights in the broker"
        case .subscriptionEndRefused(let filter, let cause):
            "the broker refused to end the subscription to \(filter): \(cause); its messages are ignored"
        case .notDelivered(let topic):
            "the broker does not deliver \(topic), although the gateway subscribes to it; check the access rights to "
                + "read it in the broker"
        case .receivedIgnored(1, let cause): "1 received message was ignored: \(cause)"
        case .receivedIgnored(let count, let cause): "\(count) received messages were ignored: \(cause)"
        }
    }
}

extension Duration {
    /// With at most one decimal, for texts.
    var inSeconds: String {
        let tenths = (components.seconds * 10) + (components.attoseconds / 100_000_000_000_000_000)
        return tenths % 10 == 0 || tenths >= 100 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
