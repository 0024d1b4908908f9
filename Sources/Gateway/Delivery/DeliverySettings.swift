/// The limits of the delivery of messages.
public struct DeliverySettings: Hashable, Sendable {
    /// How long messages are collected before they are stored together.
    public var batchInterval: Duration = .milliseconds(250)
    /// The number of messages that are sent before the first of them is confirmed.
    public var messagesInFlight = 20
    /// The most messages that are sent in a second, so that a backlog does not flood the broker.
    public var messagesPerSecond = 2000
    /// The largest size of messages that are not stored yet. When it is exceeded, the oldest are dropped and counted.
    public var maximumUnstoredBytes = 8 << 20
    /// Without any confirmation for this time, the connection is made again.
    public var confirmationTimeout: Duration = .seconds(30)
    /// How long confirmed messages stay in the store if no new ones are stored.
    public var removalInterval: Duration = .seconds(5)
    /// The first and the longest pause between two attempts to store messages.
    public var initialRetryDelay: Duration = .seconds(1)
    public var maximumRetryDelay: Duration = .seconds(30)

    /// Creates the default limits.
    public init() {}

    /// Creates the limits of a configuration.
    public init(broker: BrokerSettings, store: StoreSettings) {
        batchInterval = store.batchInterval
        messagesInFlight = max(1, broker.messagesInFlight)
    }
}
