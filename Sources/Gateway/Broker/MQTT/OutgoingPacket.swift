/// The packets that the gateway sends, as bytes.
enum OutgoingPacket {
    static let pingRequest: [UInt8] = [0xC0, 0]

    /// The request to connect, with the limits of the gateway.
    static func connect(_ client: BrokerClient) -> [UInt8] {
        let settings = client.settings
        let isVersion5 = settings.version == .v5
        var body = PacketWriter()
        body.text("MQTT")
        body.byte(isVersion5 ? 5 : 4)
        body.byte(flags(of: client))
        body.uint16(UInt16(clamping: settings.keepAlive.components.seconds))
        if isVersion5 { properties(settings, &body) }
        body.text(client.identifier)
        if let will = client.will {
            if isVersion5 { body.byte(0) }
            body.text(will.topic)
            body.binary(will.payload)
        }
        if let user = settings.user { body.text(user) }
        if settings.user != nil, let password = settings.password { body.text(password.text) }
        return PacketWriter.packet(0x10, body)
    }

    private static func flags(of client: BrokerClient) -> UInt8 {
        let settings = client.settings
        var flags: UInt8 = settings.sessionExpiry == .zero ? 0x02 : 0
        if let will = client.will {
            flags |= 0x04 | will.qualityOfService << 3 | (will.isRetained ? 0x20 : 0)
        }
        if settings.user != nil { flags |= 0x80 | (settings.password == nil ? 0 : 0x40) }
        return flags
    }

    private static func properties(_ settings: BrokerSettings, _ body: inout PacketWriter) {
        var properties = PacketWriter()
        properties.byte(MQTTProperty.sessionExpiryInterval.rawValue)
        properties.uint32(UInt32(clamping: settings.sessionExpiry.components.seconds))
        properties.byte(MQTTProperty.receiveMaximum.rawValue)
        properties.uint16(receiveMaximum)
        properties.byte(MQTTProperty.maximumPacketSize.rawValue)
        properties.uint32(UInt32(PacketFramer.maximumLength))
        properties.byte(MQTTProperty.topicAliasMaximum.rawValue)
        properties.uint16(0)
        body.variableInteger(properties.bytes.count)
        body.append(properties.bytes)
    }

    /// The most messages of the broker that wait for the acknowledgements of the gateway.
    private static let receiveMaximum: UInt16 = 100

    static func publish(_ publication: Publication, identifier: UInt16?, _ version: BrokerSettings.Version) -> [UInt8] {
        let header: UInt8 = 0x30 | (identifier == nil ? 0 : 0x02) | (publication.isRetained ? 1 : 0)
        var body = PacketWriter(capacity: publication.topic.utf8.count + publication.payload.count + 5)
        body.text(publication.topic)
        if let identifier { body.uint16(identifier) }
        if version == .v5 { body.byte(0) }
        body.append(publication.payload)
        return PacketWriter.packet(header, body)
    }

    /// The size of a message with quality of service 1, in bytes.
    static func size(of publication: Publication, _ version: BrokerSettings.Version) -> Int {
        let body = 4 + publication.topic.utf8.count + (version == .v5 ? 1 : 0) + publication.payload.count
        var writer = PacketWriter()
        writer.variableInteger(body)
        return 1 + writer.bytes.count + body
    }

    static func acknowledge(_ identifier: UInt16) -> [UInt8] {
        [0x40, 2, UInt8(identifier >> 8), UInt8(identifier & 0xFF)]
    }

    /// Requests a filter with quality of service 1.
    static func subscribe(to filter: String, identifier: UInt16, _ version: BrokerSettings.Version) -> [UInt8] {
        var body = start(identifier, filter, version)
        body.byte(1)
        return PacketWriter.packet(0x82, body)
    }

    static func unsubscribe(from filter: String, identifier: UInt16, _ version: BrokerSettings.Version) -> [UInt8] {
        PacketWriter.packet(0xA2, start(identifier, filter, version))
    }

    /// The start of a request about a subscription.
    private static func start(
        _ identifier: UInt16, _ filter: String, _ version: BrokerSettings.Version
    ) -> PacketWriter {
        var body = PacketWriter()
        body.uint16(identifier)
        if version == .v5 { body.byte(0) }
        body.text(filter)
        return body
    }

    /// Ends the connection; only MQTT 5 has reasons.
    static func disconnect(_ reason: UInt8, _ version: BrokerSettings.Version) -> [UInt8] {
        version == .v5 && reason != 0 ? [0xE0, 1, reason] : [0xE0, 0]
    }
}
