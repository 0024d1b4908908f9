/// A packet of the broker. All fields are checked.
enum IncomingPacket: Equatable {
    case connack(ConnectionAnswer)
    case publish(IncomingMessage)
    case puback(identifier: UInt16, reason: UInt8)
    case suback(identifier: UInt16, reasons: [UInt8])
    /// The answer to the end of a subscription.
    case unsuback(identifier: UInt16, reason: UInt8)
    case pingresp
    /// The broker of MQTT 5 closes the connection.
    case disconnect(reason: UInt8)

    /// Decodes a packet, and throws what is wrong with it.
    init(header: UInt8, body: ArraySlice<UInt8>, version: BrokerSettings.Version) throws(MQTTViolation) {
        guard let type = MQTTPacketType(header) else { throw .malformed("a packet has the type 0") }
        guard type == .publish || header & 0x0F == 0 else { throw .malformed("\(type.name) has flags") }
        var reader = PacketReader(body)
        switch type {
        case .connack: self = .connack(try ConnectionAnswer(&reader, version))
        case .publish: self = .publish(try IncomingMessage(header, &reader, version))
        case .puback: self = try Self.puback(&reader, version)
        case .suback: self = try Self.suback(&reader, version)
        case .unsuback: self = try Self.unsuback(&reader, version)
        case .pingresp: self = .pingresp
        case .disconnect where version == .v5: self = try Self.disconnect(&reader)
        default: throw .protocolError("the broker sent \(type.name), which it must not send")
        }
        guard reader.isAtEnd else { throw .malformed("\(type.name) is longer than its fields") }
    }

    private static func puback(
        _ reader: inout PacketReader, _ version: BrokerSettings.Version
    ) throws(MQTTViolation) -> Self {
        let identifier = try reader.identifier()
        guard version == .v5, !reader.isAtEnd else { return .puback(identifier: identifier, reason: 0) }
        let reason = try reader.byte()
        // 0x10: there are no subscribers.
        guard reason == 0 || reason == 0x10 || reason >= 0x80 else {
            throw .protocolError("PUBACK has the reason \(reason)")
        }
        if !reader.isAtEnd { _ = try ReceivedProperties(&reader, of: .puback) }
        return .puback(identifier: identifier, reason: reason)
    }

    private static func suback(
        _ reader: inout PacketReader, _ version: BrokerSettings.Version
    ) throws(MQTTViolation) -> Self {
        let identifier = try reader.identifier()
        if version == .v5 { _ = try ReceivedProperties(&reader, of: .suback) }
        let reasons = Array(reader.takeRest())
        // The gateway subscribes with QoS 1.
        guard reasons.allSatisfy({ $0 <= 1 || $0 >= 0x80 }) else {
            throw .protocolError("SUBACK has a reason that the gateway did not request")
        }
        return .suback(identifier: identifier, reasons: reasons)
    }

    private static func unsuback(
        _ reader: inout PacketReader, _ version: BrokerSettings.Version
    ) throws(MQTTViolation) -> Self {
        let identifier = try reader.identifier()
        guard version == .v5 else { return .unsuback(identifier: identifier, reason: 0) }
        _ = try ReceivedProperties(&reader, of: .unsuback)
        // The gateway ends one subscription with each packet.
        let reasons = reader.takeRest()
        guard reasons.count == 1, let reason = reasons.first else {
            throw .protocolError("UNSUBACK has not one reason for 1 filter")
        }
        return .unsuback(identifier: identifier, reason: reason)
    }

    private static func disconnect(_ reader: inout PacketReader) throws(MQTTViolation) -> Self {
        guard !reader.isAtEnd else { return .disconnect(reason: 0) }
        let reason = try reader.byte()
        if !reader.isAtEnd { _ = try ReceivedProperties(&reader, of: .disconnect) }
        return .disconnect(reason: reason)
    }
}

/// A message of the broker.
struct IncomingMessage: Equatable {
    let topic: String
    let payload: ArraySlice<UInt8>
    let isRetained: Bool
    /// The identifier to acknowledge; nil for quality of service 0.
    let identifier: UInt16?
    /// How much longer the message is valid; nil if the sender has not limited it.
    let expiry: Duration?

    init(
        _ header: UInt8, _ reader: inout PacketReader, _ version: BrokerSettings.Version
    ) throws(MQTTViolation) {
        (topic, identifier) = try Self.start(header, &reader)
        isRetained = header & 1 != 0
        if version == .v5 {
            let properties = try ReceivedProperties(&reader, of: .publish)
            // The gateway allows no aliases.
            guard properties.numbers[.topicAlias] == nil else {
                throw MQTTViolation(.topicAlias, "PUBLISH has a topic alias")
            }
            expiry = properties.numbers[.messageExpiryInterval].map { .seconds(Int($0)) }
        } else {
            expiry = nil
        }
        guard !topic.isEmpty else { throw .protocolError("PUBLISH has no topic") }
        payload = reader.takeRest()
    }

    /// Reads the topic and the identifier, also of a message that is too large.
    static func start(
        _ header: UInt8, _ reader: inout PacketReader
    ) throws(MQTTViolation) -> (topic: String, identifier: UInt16?) {
        let qualityOfService = header >> 1 & 3
        guard qualityOfService < 3 else { throw .malformed("PUBLISH has QoS 3") }
        guard qualityOfService < 2 else {
            throw MQTTViolation(.qualityOfService, "PUBLISH has QoS 2, to which the gateway does not subscribe")
        }
        guard qualityOfService > 0 || header & 0x08 == 0 else {
            throw .malformed("PUBLISH with QoS 0 is marked as repeated")
        }
        let topic = try reader.text()
        guard !topic.utf8.contains(UInt8(ascii: "+")), !topic.utf8.contains(UInt8(ascii: "#")) else {
            throw .malformed("PUBLISH has a topic with wildcards")
        }
        return (topic, qualityOfService == 0 ? nil : try reader.identifier())
    }
}
