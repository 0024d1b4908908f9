/// The properties of a packet of MQTT 5 that the gateway uses. All others are checked and forgotten.
struct ReceivedProperties: Equatable {
    private(set) var numbers: [MQTTProperty: UInt32] = [:]
    private(set) var assignedIdentifier: String?

    /// Reads the length and the properties, which must be allowed in this packet, each at most once.
    init(_ reader: inout PacketReader, of type: MQTTPacketType) throws(MQTTViolation) {
        let length = try reader.variableInteger()
        guard length > 0 else { return }
        var fields = PacketReader(try reader.take(Int(length)))
        var seen: Set<MQTTProperty> = []
        while !fields.isAtEnd {
            let number = try fields.variableInteger()
            guard let property = UInt8(exactly: number).flatMap(MQTTProperty.init(rawValue:)) else {
                throw .malformed("\(type.name) has the unknown property \(number)")
            }
            guard property.packets.contains(type) else {
                throw .protocolError("\(type.name) has the property \(number), which it must not have")
            }
            guard seen.insert(property).inserted || property.isRepeatable else {
                throw .protocolError("\(type.name) has the property \(number) twice")
            }
            try read(property, &fields)
        }
    }

    private mutating func read(_ property: MQTTProperty, _ fields: inout PacketReader) throws(MQTTViolation) {
        let value: UInt32
        switch property.kind {
        case .byte: value = UInt32(try fields.byte())
        case .uint16: value = UInt32(try fields.uint16())
        case .uint32: value = try fields.uint32()
        case .variable: value = try fields.variableInteger()
        case .binary:
            _ = try fields.binary()
            return
        case .text:
            let text = try fields.text()
            if property == .assignedClientIdentifier { assignedIdentifier = text }
            return
        case .pair:
            _ = try fields.text()
            _ = try fields.text()
            return
        }
        guard property.allows(value) else {
            throw .protocolError("the property \(property.rawValue) has the value \(value), which is not allowed")
        }
        numbers[property] = value
    }
}

/// The properties that a broker may send. Source: MQTT 5, section 2.2.2.2.
enum MQTTProperty: UInt8 {
    case payloadFormatIndicator = 0x01
    case messageExpiryInterval = 0x02
    case contentType = 0x03
    case responseTopic = 0x08
    case correlationData = 0x09
    case subscriptionIdentifier = 0x0B
    case sessionExpiryInterval = 0x11
    case assignedClientIdentifier = 0x12
    case serverKeepAlive = 0x13
    case authenticationMethod = 0x15
    case authenticationData = 0x16
    case responseInformation = 0x1A
    case serverReference = 0x1C
    case reasonString = 0x1F
    case receiveMaximum = 0x21
    case topicAliasMaximum = 0x22
    case topicAlias = 0x23
    case maximumQoS = 0x24
    case retainAvailable = 0x25
    case userProperty = 0x26
    case maximumPacketSize = 0x27
    case wildcardSubscriptionAvailable = 0x28
    case subscriptionIdentifierAvailable = 0x29
    case sharedSubscriptionAvailable = 0x2A

    enum Kind { case byte, uint16, uint32, variable, text, binary, pair }

    var kind: Kind {
        switch self {
        case .payloadFormatIndicator, .maximumQoS, .retainAvailable, .wildcardSubscriptionAvailable,
            .subscriptionIdentifierAvailable, .sharedSubscriptionAvailable:
            .byte
        case .serverKeepAlive, .receiveMaximum, .topicAliasMaximum, .topicAlias: .uint16
        case .messageExpiryInterval, .sessionExpiryInterval, .maximumPacketSize: .uint32
        case .subscriptionIdentifier: .variable
        case .contentType, .responseTopic, .assignedClientIdentifier, .authenticationMethod, .responseInformation,
            .serverReference, .reasonString:
            .text
        case .correlationData, .authenticationData: .binary
        case .userProperty: .pair
        }
    }

    /// The packets of a broker that may have the property.
    var packets: Set<MQTTPacketType> {
        switch self {
        case .payloadFormatIndicator, .messageExpiryInterval, .contentType, .responseTopic, .correlationData,
            .subscriptionIdentifier, .topicAlias:
            [.publish]
        case .reasonString: [.connack, .puback, .suback, .unsuback, .disconnect]
        case .userProperty: [.connack, .publish, .puback, .suback, .unsuback, .disconnect]
        case .serverReference: [.connack, .disconnect]
        default: [.connack]
        }
    }

    var isRepeatable: Bool { self == .userProperty || self == .subscriptionIdentifier }

    func allows(_ value: UInt32) -> Bool {
        switch self {
        case .topicAliasMaximum, .serverKeepAlive, .messageExpiryInterval, .sessionExpiryInterval: true
        default: kind == .byte ? value <= 1 : value > 0
        }
    }
}
