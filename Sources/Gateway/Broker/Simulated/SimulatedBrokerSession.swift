/// What a simulated broker keeps about a client: subscriptions, and messages for the time without connection.
final class SimulatedBrokerSession {
    let identifier: String
    private(set) weak var broker: SimulatedBroker?
    /// Counts connections, so that the expiry of an older one has no effect.
    private(set) var generation = 0
    /// The filters of the subscriptions.
    var filters: Set<String> = []
    private var queue: [ReceivedMessage] = []

    init(_ identifier: String) { self.identifier = identifier }

    func resume(_ broker: SimulatedBroker) {
        self.broker = broker
        generation += 1
    }

    func suspend() -> Int {
        broker = nil
        return generation
    }

    func deliver(_ publication: Publication, atMost limit: Int) {
        let message = publication.received(isRetained: false)
        if let broker {
            if broker.isReachable { broker.post(.received(message)) }
        } else if publication.qualityOfService > 0, queue.count < limit {
            queue.append(message)
        }
    }

    func takeQueue() -> [ReceivedMessage] {
        defer { queue = [] }
        return queue.map { message in
            var message = message
            message.mayHaveWaited = true
            return message
        }
    }
}

extension Publication {
    func received(isRetained: Bool) -> ReceivedMessage {
        ReceivedMessage(topic: topic, payload: payload, isRetained: isRetained)
    }
}
