import Gateway

/// A broker that prints each message instead of sending it, for `--dry-run`.
///
/// It returns retained messages to their subscriptions, because a gateway has a role when the broker has confirmed it.
final class PrintingBroker: Broker {
    var handler: ((BrokerEvent) -> Void)?
    private let loop: GatewayLoop
    private let print: (_ line: String) -> Void
    // Literal topics are looked up; only the others are compared one by one.
    private var topics: Set<String> = []
    private var wildcards: Set<TopicFilter> = []

    /// - Parameter print: Writes a line.
    init(loop: GatewayLoop, print: @escaping (_ line: String) -> Void = PrintingBroker.printLine) {
        self.loop = loop
        self.print = print
    }

    func connect() { post(.connected(isSessionPresent: false)) }

    func subscribe(to filters: [String]) {
        for filter in filters.compactMap({ TopicFilter($0) }) {
            if filter.isLiteral { topics.insert(filter.description) } else { wildcards.insert(filter) }
        }
    }

    func publish(_ publication: Publication, token: UInt64) {
        print("\(publication.topic) \(String(decoding: publication.payload, as: UTF8.self))")
        if publication.qualityOfService > 0 { post(.acknowledged(token)) }
        guard publication.isRetained else { return }
        let isSubscribed =
            topics.contains(publication.topic) || wildcards.contains { $0.matches(publication.topic) }
        if isSubscribed {
            post(.received(ReceivedMessage(topic: publication.topic, payload: publication.payload)))
        }
    }

    func disconnect() { post(.closed(BrokerFailure(.requested, "the dry run has ended"))) }

    private func post(_ event: BrokerEvent) {
        let broker = loop.bound(self)
        loop.perform { broker.value.handler?(event) }
    }

    private static func printLine(_ line: String) { LogOutput.print(LogOutput.clean(line) + "\n") }
}
