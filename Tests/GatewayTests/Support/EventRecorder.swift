import Gateway

/// Records the events of a broker as short texts.
final class EventRecorder {
    private(set) var texts: [String] = []

    init(_ broker: any Broker) {
        broker.handler = { [self] event in texts.append(Self.text(of: event)) }
    }

    static func text(of event: BrokerEvent) -> String {
        switch event {
        case .retainUnavailable: "retain unavailable"
        case .connected(let isSessionPresent): "connected \(isSessionPresent)"
        case .closed(let failure): "closed \(failure.kind)"
        case .acknowledged(let token): "acknowledged \(token)"
        case .rejected(let token, let refusal): "rejected \(token) \(refusal.cause)"
        case .subscriptionRefused(let filter, let cause): "refused \(filter) \(cause)"
        case .subscriptionEndRefused(let filter, let cause): "refused the end of \(filter) \(cause)"
        case .received(let message):
            "received \(message.topic) \(String(decoding: message.payload, as: UTF8.self))"
        case .paused(let length): "paused \(length / .seconds(1))"
        case .caughtUp: "caught up"
        case .skipped(let topic, let size): "skipped \(topic) \(size)"
        }
    }
}
