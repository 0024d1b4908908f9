/// A reason code of MQTT 5, or a return code of MQTT 3.1.1.
struct MQTTReason: Hashable {
    let code: UInt8

    /// The broker keeps no retained messages, not even as a last will.
    static let retainNotSupported = MQTTReason(0x9A)

    init(_ code: UInt8) { self.code = code }

    /// One phrase. Source: MQTT 5, section 2.4.
    var text: String {
        switch code {
        case 0x80: "unspecified error"
        case 0x81: "malformed packet"
        case 0x82: "protocol error"
        case 0x83: "implementation specific error"
        case 0x84: "unsupported protocol version"
        case 0x85: "client identifier not valid"
        case 0x86: "bad user name or password"
        case 0x87: "not authorized"
        case 0x88: "server unavailable"
        case 0x89: "server busy"
        case 0x8A: "banned"
        case 0x8B: "server shutting down"
        case 0x8C: "bad authentication method"
        case 0x8D: "keep alive timeout"
        case 0x8E: "another client has the same identifier"
        case 0x8F: "topic filter not valid"
        case 0x90: "topic name not valid"
        case 0x91: "packet identifier in use"
        case 0x93: "receive maximum exceeded"
        case 0x94: "topic alias not valid"
        case 0x95: "packet too large"
        case 0x96: "message rate too high"
        case 0x97: "quota exceeded"
        case 0x98: "administrative action"
        case 0x99: "payload format not valid"
        case 0x9A: "retained messages not supported"
        case 0x9B: "QoS not supported"
        case 0x9C: "use another server"
        case 0x9D: "server moved"
        case 0x9E: "shared subscriptions not supported"
        case 0x9F: "connection rate exceeded"
        case 0xA0: "maximum connect time"
        case 0xA1: "subscription identifiers not supported"
        case 0xA2: "wildcard subscriptions not supported"
        default: "reason \(code)"
        }
    }

    /// The phrase of a return code of CONNACK in MQTT 3.1.1, section 3.2.2.3.
    var connectText: String {
        switch code {
        case 1: "unacceptable protocol version"
        case 2: "identifier rejected"
        case 3: "server unavailable"
        case 4: "bad user name or password"
        case 5: "not authorized"
        default: "code \(code)"
        }
    }

    /// Returns why a subscription with this answer does not deliver its messages reliably; nil if it does.
    static func cause(ofSubscription answer: UInt8) -> String? {
        switch answer {
        case 0: "it was granted without confirmation (QoS 0), so messages can be lost"
        case 1: nil
        default: MQTTReason(answer).text
        }
    }

    /// What the refusal of a message means for the message.
    var refusalKind: BrokerRefusal.Kind {
        switch code {
        case 0x87: .accessDenied
        case 0x90, 0x99: .invalid
        case 0x95: .tooLarge(limit: nil)
        default: .temporary
        }
    }
}
