/// Records the messages that a simulated broker delivers to one subscription.
public final class SimulatedSubscriber {
    /// A message with the time of its delivery.
    public struct Delivery: Hashable, Sendable {
        /// The monotonic time of the context.
        public var time: Duration
        public var topic: String
        public var payload: [UInt8]
        /// Whether the message is older than the subscription.
        public var isRetained: Bool

        /// The payload as text.
        public var text: String { String(decoding: payload, as: UTF8.self) }
    }

    /// The messages so far. Remove some to save memory.
    public var deliveries: [Delivery] = []
    /// Receives each message instead of ``deliveries``, if it is set. It must not call the broker.
    public var observer: ((Delivery) -> Void)?
    let filter: TopicFilter

    init(_ filter: TopicFilter) { self.filter = filter }

    func record(_ publication: Publication, isRetained: Bool, at time: Duration) {
        let delivery = Delivery(
            time: time, topic: publication.topic, payload: publication.payload, isRetained: isRetained)
        if let observer { observer(delivery) } else { deliveries.append(delivery) }
    }
}
