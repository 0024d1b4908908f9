import Gateway

/// A broker that prints each message instead of sending it, for `--dry-run`.
///
/// It delivers the messages to the subscriptions of the gateway, which has a role when the broker has confirmed it, and
/// which reports messages that do not come back.
final class PrintingBroker: Broker {
    var handler: ((BrokerEvent) -> Void)?
    private let loop: GatewayLoop
    private let print: (_ line: String) -> Void
    // Literal topics are looked up; only the others are compared one by one.
    private var topics: Set<String> = []
    private var wildcards: Set<TopicFilter> = []
    private var retained: [String: [UInt8]] = [:]

    /// - Parameter print: Writes a line.
    init(loop: GatewayLoop, print: @escaping (_ line: String) -> Void = PrintingBroker.printLine) {
        self.loop = loop
        self.print = print
    }

    func connect() { post(.connected(isSessionPresent: false)) }

    func unsubscribe(from filters: [String]) {}

    func subscribe(to filters: [String]) {
        for filter in filters.compactMap({ TopicFilter($0) }) {
            if filter.isLiteral {
                topics.insert(filter.description)
                if let payload = retained[filter.description] { deliver(filter.description, payload, isRetained: true) }
            } else {
                wildcards.insert(filter)
                for (topic, payload) in retained where filter.matches(topic) {
                    deliver(topic, payload, isRetained: true)
                }
            }
        }
    }

    func publish(_ publication: Publication, token: UInt64) {
        print("\(publication.topic) \(String(decoding: publication.payload, as: UTF8.self))")
        if publication.qualityOfService > 0 { post(.acknowledged(token)) }
        if publication.isRetained {
            retained[publication.topic] = publication.payload.isEmpty ? nil : publication.payload
        }
        let isSubscribed =
            topics.contains(publication.topic)
            || publication.isRetained && wildcards.contains { $0.matches(publication.topic) }
        if isSubscribed { deliver(publication.topic, publication.payload, isRetained: false) }
    }

    private func deliver(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
        post(.received(ReceivedMessage(topic: topic, payload: payload, isRetained: isRetained)))
    }

    func disconnect() { post(.closed(BrokerFailure(.requested, "the dry run has ended"))) }

    private func post(_ event: BrokerEvent) {
        let broker = loop.bound(self)
        loop.perform { broker.value.handler?(event) }
    }

    private static func printLine(_ line: String) { LogOutput.print(LogOutput.clean(line) + "\n") }
}
