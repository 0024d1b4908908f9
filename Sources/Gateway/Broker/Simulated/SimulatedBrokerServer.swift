/// An MQTT broker in memory, with virtual time, for tests and for trying out a configuration.
///
/// It has topics, retained messages, last wills, sessions and subscriptions, and records what subscribers receive.
/// Several clients of several gateways can use it, as long as their contexts share one scheduler.
/// ```swift
/// let server = SimulatedBrokerServer(loop: loop)
/// let subscriber = server.subscribe(to: "home/#")
/// let broker = server.client(BrokerClient(identifier: "gateway"))
/// ```
public final class SimulatedBrokerServer {
    /// Time that a message or an answer takes to a client.
    public var latency: Duration = .milliseconds(1)
    /// If set, connections are refused with this failure.
    public var refusal: BrokerFailure?
    /// The identifiers of the clients that cannot connect.
    public var unreachableClients: Set<String> = []
    /// The filters to which no client may subscribe. Their subscriptions cannot be ended either.
    public var refusedFilters: Set<String> = []
    /// Whether retained messages are kept. If not, clients learn it with each connection, as in MQTT 5.
    public var keepsRetained = true
    /// Returns why a message is refused instead of delivered; nil to accept it.
    public var refuseMessage: ((Publication) -> BrokerRefusal?)?
    /// Returns whether clients may not read a topic. Its messages are then dropped without an answer.
    public var deniesReading: ((_ topic: String) -> Bool)?
    /// Whether messages are acknowledged. A lost acknowledgement is not repeated.
    public var isAcknowledging = true
    /// The most messages that are kept for a disconnected client, like mosquitto's `max_queued_messages`.
    public var maximumQueuedMessages = 1000
    /// The number of further acknowledgements that are lost.
    public var acknowledgementsToLose = 0

    /// Whether the broker accepts connections.
    public private(set) var isRunning = true
    /// The retained messages by topic.
    public private(set) var retained: [String: Publication] = [:]
    /// The number of messages that clients have sent.
    public private(set) var messageCount = 0
    /// The number of attempts to connect.
    public private(set) var attemptCount = 0
    /// The number of accepted connections.
    public private(set) var connectionCount = 0

    /// Receives each message that clients have sent, and each last will.
    public var onMessage: ((Publication) -> Void)?

    let loop: GatewayLoop
    // The retained messages again, and the identifiers of the subscribed sessions.
    private var retainedTree = TopicTree<Publication>()
    private var sessionTree = TopicTree<Set<String>>()
    private var sessions: [String: SimulatedBrokerSession] = [:]
    private var subscribers: [SimulatedSubscriber] = []

    /// Creates a broker that runs.
    public init(loop: GatewayLoop) { self.loop = loop }

    /// The identifiers of the connected clients, in alphabetic order.
    public var connectedClients: [String] {
        sessions.values.filter { $0.broker != nil }.map(\.identifier).sorted()
    }

    /// Creates a client, which is not connected.
    public func client(_ client: BrokerClient) -> SimulatedBroker { SimulatedBroker(client, of: self) }

    /// Records the messages of topics from now on; retained ones come first.
    public func subscribe(to filter: String) -> SimulatedSubscriber {
        guard let parsed = TopicFilter(filter) else { preconditionFailure("invalid topic filter \(filter)") }
        let subscriber = SimulatedSubscriber(parsed)
        subscribers.append(subscriber)
        for publication in retained.values.sorted(by: { $0.topic < $1.topic }) where parsed.matches(publication.topic) {
            subscriber.record(publication, isRetained: true, at: loop.monotonicTime)
        }
        return subscriber
    }

    /// Sends a message as another client would. A stopped broker ignores it.
    public func publish(_ publication: Publication) { if isRunning { accept(publication) } }

    /// Stops the broker: connections end after their last wills were published, new ones fail until ``start()``.
    /// - Parameter keepsState: Whether sessions and retained messages survive.
    public func stop(keepsState: Bool = true) {
        for identifier in connectedClients { close(identifier, cause: "the broker closed the connection") }
        isRunning = false
        guard !keepsState else { return }
        retained = [:]
        retainedTree = TopicTree()
        sessions = [:]
        sessionTree = TopicTree()
    }

    /// Starts the broker again.
    public func start() { isRunning = true }

    /// Closes the connection of a client as if it had failed; its last will is published.
    public func close(_ identifier: String, cause: String = "the connection was reset") {
        sessions[identifier]?.broker?.drop(cause)
    }
}

// What clients call.
extension SimulatedBrokerServer {
    /// Accepts a connection, or returns why it is refused.
    func attach(_ broker: SimulatedBroker) -> BrokerFailure? {
        attemptCount += 1
        guard isRunning else { return BrokerFailure(.unreachable, "connection refused: the broker is not running") }
        guard !unreachableClients.contains(broker.client.identifier) else {
            return BrokerFailure(.unreachable, "connection refused")
        }
        if let refusal { return refusal }
        sessions[broker.client.identifier]?.broker?.drop("another client has the same identifier", .takenOver)
        connectionCount += 1
        return nil
    }

    /// Reports the connection to the client, and delivers what waited for it.
    func resume(_ broker: SimulatedBroker) {
        let identifier = broker.client.identifier
        let isPresent = sessions[identifier] != nil
        let session = sessions[identifier] ?? SimulatedBrokerSession(identifier)
        sessions[identifier] = session
        session.resume(broker)
        if !keepsRetained { broker.post(.retainUnavailable) }
        broker.post(.connected(isSessionPresent: isPresent))
        for message in session.takeQueue() { broker.post(.received(message)) }
    }

    func subscribe(_ broker: SimulatedBroker, to filters: [String]) {
        guard let session = sessions[broker.client.identifier] else { return }
        for text in filters {
            guard TopicFilter(text) != nil else { preconditionFailure("invalid topic filter \(text)") }
            guard !refusedFilters.contains(text) else {
                broker.post(.subscriptionRefused(filter: text, cause: "not authorized"))
                continue
            }
            if session.filters.insert(text).inserted {
                sessionTree[text, default: []].insert(session.identifier)
            }
            for publication in retainedTree.topics(matching: text).sorted(by: { $0.topic < $1.topic }) {
                guard deniesReading?(publication.topic) != true else { continue }
                broker.post(.received(publication.received(isRetained: true)))
            }
        }
    }

    func unsubscribe(_ broker: SimulatedBroker, from filters: [String]) {
        guard let session = sessions[broker.client.identifier] else { return }
        for text in filters {
            guard !refusedFilters.contains(text) else {
                broker.post(.subscriptionEndRefused(filter: text, cause: "not authorized"))
                continue
            }
            if session.filters.remove(text) != nil { sessionTree[text]?.remove(session.identifier) }
        }
    }

    func accept(_ publication: Publication) {
        messageCount += 1
        onMessage?(publication)
        if publication.isRetained, keepsRetained {
            let kept = publication.payload.isEmpty ? nil : publication
            retained[publication.topic] = kept
            retainedTree[publication.topic] = kept
        }
        for subscriber in subscribers where subscriber.filter.matches(publication.topic) {
            subscriber.record(publication, isRetained: false, at: loop.monotonicTime)
        }
        guard deniesReading?(publication.topic) != true else { return }
        for identifier in Set(sessionTree.filters(matching: publication.topic).joined()).sorted() {
            sessions[identifier]?.deliver(publication, atMost: maximumQueuedMessages)
        }
    }

    func shouldAcknowledge() -> Bool {
        guard acknowledgementsToLose == 0 else {
            acknowledgementsToLose -= 1
            return false
        }
        return isAcknowledging
    }

    func detach(_ broker: SimulatedBroker, publishesWill: Bool) {
        guard let session = sessions[broker.client.identifier], session.broker === broker else { return }
        let generation = session.suspend()
        let bound = loop.bound(self)
        let identifier = session.identifier
        _ = loop.schedule(after: broker.client.settings.sessionExpiry) {
            bound.value.expire(identifier, generation)
        }
        if publishesWill, let will = broker.client.will { accept(will) }
    }

    private func expire(_ identifier: String, _ generation: Int) {
        guard let session = sessions[identifier], session.broker == nil, session.generation == generation else {
            return
        }
        for filter in session.filters { sessionTree[filter]?.remove(identifier) }
        sessions[identifier] = nil
    }
}
