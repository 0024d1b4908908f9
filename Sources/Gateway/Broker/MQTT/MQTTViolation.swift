/// Why a packet of the broker breaks the rules of MQTT. It ends the connection.
struct MQTTViolation: Error, Hashable {
    /// The reason codes of the DISCONNECT packet that answers it. Source: MQTT 5, section 3.14.2.1.
    enum Reason: UInt8 {
        case malformed = 0x81
        case protocolError = 0x82
        case topicAlias = 0x94
        case tooLarge = 0x95
        case qualityOfService = 0x9B
    }

    let reason: Reason
    /// One phrase, without text of the broker.
    let text: String

    init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }

    static func malformed(_ text: String) -> Self { Self(.malformed, text) }
    static func protocolError(_ text: String) -> Self { Self(.protocolError, text) }
}
