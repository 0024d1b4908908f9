/// One connection after another to an MQTT broker. It belongs to the context of a gateway.
///
/// `MQTTBroker` is the real one, `SimulatedBroker` the one for tests. A broker makes one attempt for each call of
/// ``connect()``; `BrokerSupervisor` decides when to try again.
public protocol Broker: AnyObject {
    /// Receives all events, in the context of the gateway, and never from within a call of this protocol.
    var handler: ((BrokerEvent) -> Void)? { get set }

    /// Starts one attempt to connect. It ends with ``BrokerEvent/connected(isSessionPresent:)`` or
    /// ``BrokerEvent/closed(_:)``. Call it only while no connection exists or is being made.
    func connect()

    /// Subscribes to topic filters. The broker forgets them when the connection closes, unless the session is present.
    ///
    /// The retained messages of the filters arrive, also if the subscription exists already.
    func subscribe(to filters: [String])

    /// Ends the subscriptions to topic filters.
    func unsubscribe(from filters: [String])

    /// Sends a message. With quality of service 1, ``BrokerEvent/acknowledged(_:)`` or
    /// ``BrokerEvent/rejected(_:_:)`` follows, or the connection closes.
    /// - Parameter token: A number of the caller, which the event repeats.
    func publish(_ publication: Publication, token: UInt64)

    /// Uses another client identifier from the next connection on.
    func useIdentifier(_ identifier: String)

    /// Closes the connection in an orderly way, without the last will. ``BrokerEvent/closed(_:)`` follows.
    func disconnect()
}

extension Broker {
    /// Ignores the identifier, because this broker has none.
    public func useIdentifier(_ identifier: String) {}
}

/// What happened on the connection to a broker.
public enum BrokerEvent: Sendable {
    /// The broker keeps no retained messages. Precedes ``connected(isSessionPresent:)`` of each such connection.
    case retainUnavailable
    /// The broker accepted the connection. Without a present session, all subscriptions are gone.
    case connected(isSessionPresent: Bool)
    /// The attempt failed, or the connection ended.
    case closed(BrokerFailure)
    /// The broker confirmed the message with this token.
    case acknowledged(UInt64)
    /// The message with this token cannot be sent, or the broker refused it, for now or for good.
    case rejected(UInt64, BrokerRefusal)
    /// The broker refused the subscription to a filter; the text is the cause.
    case subscriptionRefused(filter: String, cause: String)
    /// The broker refused to end the subscription to a filter; the text is the cause. Its messages continue.
    case subscriptionEndRefused(filter: String, cause: String)
    /// A message arrived for one of the subscriptions.
    case received(ReceivedMessage)
    /// The process, or the computer, did not run for at most this time, so that what arrives may have waited in the
    /// socket, until ``caughtUp``.
    case paused(Duration)
    /// What arrived during ``paused(_:)`` was delivered.
    case caughtUp
    /// A message was skipped because it is too large to keep in memory; its topic and its size in bytes.
    case skipped(topic: String, size: Int)
}

/// Why there is no connection to a broker.
public struct BrokerFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failures that a caller distinguishes.
    public enum Kind: Hashable, Sendable {
        /// `disconnect()` was called.
        case requested
        /// The broker cannot be reached, or the connection ended.
        case unreachable
        /// Another client with the same identifier has connected.
        case takenOver
        /// The broker refused the credentials, the client or the protocol version.
        case refused
        /// The certificates of the broker or the client are not valid.
        case certificate
        /// The broker broke the rules of MQTT.
        case protocolError
    }

    public var kind: Kind
    /// What failed, the cause, and what to do, in one line, without secrets.
    public var description: String

    /// Creates a failure.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
