/// What a broker needs to know about its client: the identifier, the last will and the settings.
public struct BrokerClient: Sendable {
    /// The identifier, which belongs to the session. The broker closes an older connection with the same one.
    public var identifier: String
    /// The message that the broker publishes when the connection ends without ``Broker/disconnect()``.
    public var will: Publication?
    /// The address of the broker, and how to connect to it.
    public var settings: BrokerSettings

    /// Creates a client.
    public init(identifier: String, will: Publication? = nil, settings: BrokerSettings = BrokerSettings()) {
        self.identifier = identifier
        self.will = will
        self.settings = settings
    }

    /// Creates the client of a gateway: its availability topic becomes `offline` when the connection ends.
    ///
    /// - Parameters:
    ///   - name: The name of the gateway.
    ///   - availability: The topic of its availability, without placeholders.
    public init(gateway name: String, availability: String, settings: BrokerSettings) {
        self.init(
            identifier: settings.clientIdentifier ?? "ble-gateway-\(name)",
            will: .availability("offline", topic: availability), settings: settings)
    }
}

extension Publication {
    /// The retained message `online` or `offline`.
    static func availability(_ state: String, topic: String) -> Publication {
        Publication(topic: topic, payload: Array(state.utf8), isRetained: true)
    }
}
