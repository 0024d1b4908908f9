import Testing

@testable import Gateway

/// What a hostile or broken broker does during one connection, and what the gateway does about it.
struct HostileBehaviour: Sendable, CustomTestStringConvertible {
    enum Expectation: Sendable, Equatable {
        /// The gateway reports this text and connects again.
        case reports(String)
        /// The connection continues.
        case continues
    }

    let name: String
    let version: BrokerSettings.Version
    let rules: [MQTTPacketType: FakeBroker.Rule]
    let expectation: Expectation
    /// Whether only time ends the connection.
    let needsTime: Bool

    var testDescription: String { name }
    var peer: FakeBroker { FakeBroker(version, rules: rules) }

    /// Answers one kind of packet with bytes.
    init(
        _ name: String, with version: BrokerSettings.Version = .v5, on type: MQTTPacketType, closes: Bool = false,
        needsTime: Bool = false, _ expectation: Expectation, _ bytes: @escaping @Sendable (UInt16) -> [UInt8]
    ) {
        self.name = name
        self.version = version
        rules = [type: FakeBroker.Rule(bytes: bytes, closes: closes)]
        self.expectation = expectation
        self.needsTime = needsTime
    }

    /// Accepts the connection, and sends bytes with that.
    static func accepting(
        _ name: String, with version: BrokerSettings.Version = .v5, _ expectation: Expectation, needsTime: Bool = false,
        closes: Bool = false, _ bytes: [UInt8]
    ) -> Self {
        let accept: [UInt8] = version == .v5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
        return Self(name, with: version, on: .connect, closes: closes, needsTime: needsTime, expectation) { _ in
            accept + bytes
        }
    }

    /// A packet with a length of up to 268,435,455.
    static func packet(_ header: UInt8, _ body: [UInt8]) -> [UInt8] {
        var writer = PacketWriter()
        writer.append(body)
        return PacketWriter.packet(header, writer)
    }

    static func message(_ header: UInt8, topic: [UInt8], _ rest: [UInt8]) -> [UInt8] {
        packet(header, [UInt8(topic.count >> 8), UInt8(topic.count & 0xFF)] + topic + rest)
    }

    static func answer(_ header: UInt8, _ identifier: UInt16, _ rest: [UInt8]) -> [UInt8] {
        packet(header, [UInt8(identifier >> 8), UInt8(identifier & 0xFF)] + rest)
    }

    static let all: [Self] =
        [refusals, answers, packets, acknowledgements, subscriptions, messages, floods].flatMap(\.self)
}

// Before the connection is accepted.
extension HostileBehaviour {
    private static let refusals: [Self] = [
        Self("HTTP", on: .connect, .reports("is not MQTT")) { _ in Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) },
        Self("alert of TLS", on: .connect, .reports("check that this port does not need TLS")) { _ in
            [0x15, 3, 1, 0, 2, 2, 0x46]
        },
        Self("end at once", on: .connect, closes: true, .reports("before it was accepted")) { _ in [] },
        Self("end in CONNACK", on: .connect, closes: true, .reports("before it was accepted")) { _ in [0x20, 3, 0] },
        Self("silence", on: .connect, needsTime: true, .reports("did not answer within 20 s")) { _ in [] },
        Self("half of CONNACK", on: .connect, needsTime: true, .reports("did not answer within 20 s")) { _ in [0x20] },
        Self("PUBLISH first", on: .connect, .reports("is not MQTT")) { _ in message(0x30, topic: [0x74], [0]) },
        Self("CONNACK with flags in the header", on: .connect, .reports("is not MQTT")) { _ in [0x21, 3, 0, 0, 0] },
        Self("not authorized", on: .connect, .reports("not authorized; check the user name")) { _ in
            [0x20, 3, 0, 0x87, 0]
        },
        Self("not authorized with MQTT 3", with: .v311, on: .connect, .reports("not authorized; check")) { _ in
            [0x20, 2, 0, 5]
        },
        Self("unavailable", on: .connect, .reports("server unavailable")) { _ in [0x20, 3, 0, 0x88, 0] },
        Self("MQTT 3 only", on: .connect, .reports("set the version of MQTT to 3.1.1")) { _ in [0x20, 2, 0, 1] },
        Self("unknown code of MQTT 3", with: .v311, on: .connect, .reports("CONNACK has the reason 9")) { _ in
            [0x20, 2, 0, 9]
        },
        Self("reason below 128", on: .connect, .reports("CONNACK has the reason 66")) { _ in [0x20, 3, 0, 0x42, 0] },
        Self("refusal with a session", on: .connect, .reports("refuses, and has a session")) { _ in
            [0x20, 3, 1, 0x87, 0]
        },
    ]

    private static let answers: [Self] = [
        answer("unknown property", "unknown property 126", [0x7E, 0]),
        answer("property above 255", "unknown property 300", [0xAC, 2, 0]),
        answer("receive maximum 0", "which is not allowed", [0x21, 0, 0]),
        answer("packet size 0", "which is not allowed", [0x27, 0, 0, 0, 0]),
        answer("QoS 7", "which is not allowed", [0x24, 7]),
        answer("property twice", "the property 33 twice", [0x21, 0, 9, 0x21, 0, 9]),
        answer("property of PUBLISH", "which it must not have", [0x23, 0, 1]),
        answer("only QoS 0", "accepts only QoS 0", [0x24, 0]),
        answer("reason that is not UTF-8", "not UTF-8", [0x1F, 0, 2, 0xC3, 0x28]),
        answer("surrogate", "not UTF-8", [0x1F, 0, 3, 0xED, 0xA0, 0x80]),
        answer("identifier with U+0000", "not UTF-8", [0x12, 0, 1, 0]),
        answer("text beyond the end", "ends in a field", [0x1F, 0xFF, 0xFF, 0x61]),
        Self("properties beyond the end", on: .connect, .reports("ends in a field")) { _ in [0x20, 3, 0, 0, 5] },
        Self("bytes after the properties", on: .connect, .reports("longer than its fields")) { _ in
            [0x20, 4, 0, 0, 0, 9]
        },
        Self("unknown flags", on: .connect, .reports("unknown flags")) { _ in [0x20, 3, 2, 0, 0] },
        Self("empty CONNACK", on: .connect, .reports("ends in a field")) { _ in [0x20, 0] },
        Self("length of five bytes", on: .connect, .reports("more than four bytes")) { _ in
            [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        },
        Self("long length", on: .connect, .reports("longer than necessary")) { _ in [0x20, 0x83, 0] },
        Self("CONNACK of 256 MB", on: .connect, .reports("has 268435455 bytes")) { _ in
            [0x20, 0xFF, 0xFF, 0xFF, 0x7F]
        },
        Self("session that was not wanted twice", on: .connect, .reports("CONNACK twice")) { _ in
            [0x20, 3, 0, 0, 0, 0x20, 3, 0, 0, 0]
        },
        Self("200 kB of user properties", on: .connect, .continues) { _ in
            let properties = repeated(25_000) { _ in [0x26, 0, 1, 0x6B, 0, 2, 0x76, 0x76] }
            var writer = PacketWriter()
            writer.append([0, 0])
            writer.variableInteger(properties.count)
            return packet(0x20, writer.bytes + properties)
        },
    ]

    private static func answer(_ name: String, _ text: String, _ properties: [UInt8]) -> Self {
        Self(name, on: .connect, .reports(text)) { _ in
            packet(0x20, [0, 0, UInt8(properties.count)] + properties)
        }
    }

    private static func forbidden(_ name: String, _ bytes: [UInt8]) -> Self {
        accepting("packet \(name)", .reports("the broker sent \(name), which it must not send"), bytes)
    }

    private static let packets: [Self] = [
        forbidden("CONNECT", [0x10, 0]), forbidden("PUBREC", [0x50, 2, 0, 1]), forbidden("PUBREL", [0x60, 2, 0, 1]),
        forbidden("PUBCOMP", [0x70, 2, 0, 1]), forbidden("SUBSCRIBE", [0x80, 0]), forbidden("UNSUBSCRIBE", [0xA0, 0]),
        forbidden("PINGREQ", [0xC0, 0]), forbidden("AUTH", [0xF0, 0]),
        .accepting("type 0", .reports("the type 0"), [0, 0]),
        .accepting("DISCONNECT with MQTT 3", with: .v311, .reports("sent DISCONNECT"), [0xE0, 0]),
        .accepting("DISCONNECT with flags", .reports("DISCONNECT has flags"), [0xE5, 0]),
        .accepting("another client", .reports("another client has the same identifier"), [0xE0, 1, 0x8E]),
        .accepting("unknown property of DISCONNECT", .reports("unknown property 126"), [0xE0, 4, 0, 2, 0x7E, 0]),
        .accepting("PINGRESP with a body", .reports("longer than its fields"), [0xD0, 1, 0]),
        .accepting("end after CONNACK", .reports("was lost: the broker closed it"), closes: true, []),
        .accepting("half of a packet and the end", .reports("the broker closed it"), closes: true, [0x30, 9, 0]),
        .accepting("half of a packet", .reports("does not confirm"), needsTime: true, [0x30, 0xFF, 0x7F, 0]),
        .accepting("random bytes", .reports("broke the rules of MQTT"), [0x9D, 0x13, 0x77, 0xF3, 0x01, 0x55, 0xAA]),
    ]
}

// After the connection is accepted.
extension HostileBehaviour {
    private static let acknowledgements: [Self] = [
        acknowledgement("unknown property", "unknown property 126", [0, 2, 0x7E, 0]),
        acknowledgement("reason 5", "PUBACK has the reason 5", [5]),
        acknowledgement("longer than its fields", "longer than its fields", [0, 0, 9]),
        Self("PUBACK of MQTT 5", with: .v311, on: .publish, .reports("longer than its fields")) {
            answer(0x40, $0, [0])
        },
        Self("PUBACK with flags", on: .publish, .reports("PUBACK has flags")) { answer(0x42, $0, []) },
        Self("PUBACK 0", on: .publish, .reports("the identifier 0")) { _ in answer(0x40, 0, []) },
        Self("PUBACK of one byte", on: .publish, .reports("ends in a field")) { _ in [0x40, 1, 0] },
        Self("PUBACK for another message", on: .publish, needsTime: true, .reports("does not confirm")) {
            answer(0x40, $0 ^ 0x4000, [])
        },
        Self("no PUBACK", on: .publish, needsTime: true, .reports("does not confirm")) { _ in [] },
        Self("PUBACK twice", on: .publish, .continues) { answer(0x40, $0, []) + answer(0x40, $0, []) },
        Self("quota", on: .publish, .continues) { answer(0x40, $0, [0x97]) },
        Self("unspecified error", on: .publish, .continues) { answer(0x40, $0, [0x80]) },
        Self("implementation specific error", on: .publish, .continues) { answer(0x40, $0, [0x83]) },
        Self("unknown refusal", on: .publish, .continues) { answer(0x40, $0, [0xFE]) },
        Self("end at each message", on: .publish, closes: true, .reports("the broker closed it")) { _ in [] },
        Self("end at each message with MQTT 3", with: .v311, on: .publish, closes: true, .reports("closed it")) { _ in
            []
        },
        Self("too large", on: .publish, .reports("closed the connection: packet too large")) { _ in [0xE0, 1, 0x95] },
        Self("no PINGRESP", on: .pingreq, needsTime: true, .reports("no answer for the keep-alive time")) { _ in [] },
    ]

    private static func acknowledgement(_ name: String, _ text: String, _ rest: [UInt8]) -> Self {
        Self("PUBACK: \(name)", on: .publish, .reports(text)) { answer(0x40, $0, rest) }
    }

    private static let subscriptions: [Self] = [
        Self("SUBACK with two reasons", on: .subscribe, .reports("2 reasons for 1 filter")) {
            answer(0x90, $0, [0, 1, 1])
        },
        Self("SUBACK without a reason", on: .subscribe, .reports("0 reasons for 1 filter")) { answer(0x90, $0, [0]) },
        Self("SUBACK without a request", on: .subscribe, .reports("without a request")) {
            answer(0x90, $0 ^ 0x4000, [0, 1])
        },
        Self("SUBACK with QoS 2", on: .subscribe, .reports("did not request")) { answer(0x90, $0, [0, 2]) },
        Self("SUBACK with a property of CONNACK", on: .subscribe, .reports("must not have")) {
            answer(0x90, $0, [2, 0x24, 1, 1])
        },
        Self("UNSUBACK for a subscription", on: .subscribe, .reports("UNSUBACK without a request")) {
            answer(0xB0, $0, [0, 0])
        },
        Self("UNSUBACK without a reason", on: .subscribe, .reports("not one reason for 1 filter")) {
            answer(0xB0, $0, [0])
        },
        Self("UNSUBACK for a subscription with MQTT 3", with: .v311, on: .subscribe, .reports("UNSUBACK without")) {
            answer(0xB0, $0, [])
        },
        Self("subscriptions with QoS 0", with: .v311, on: .subscribe, .continues) { answer(0x90, $0, [0]) },
        Self("refused subscriptions", on: .subscribe, .continues) { answer(0x90, $0, [0, 0x87]) },
        Self("refused subscriptions with MQTT 3", with: .v311, on: .subscribe, .continues) { answer(0x90, $0, [0x80]) },
        Self("no SUBACK", on: .subscribe, .continues) { _ in [] },
    ]

    private static let messages: [Self] = [
        accepting("QoS 3", .reports("QoS 3"), message(0x36, topic: [0x74], [0, 1, 0])),
        accepting("QoS 2", .reports("QoS 2"), message(0x34, topic: [0x74], [0, 1, 0])),
        accepting("repeated QoS 0", .reports("marked as repeated"), message(0x38, topic: [0x74], [0])),
        accepting("identifier 0", .reports("the identifier 0"), message(0x32, topic: [0x74], [0, 0, 0])),
        accepting("no topic", .reports("no topic"), message(0x30, topic: [], [0])),
        accepting("no topic with MQTT 3", with: .v311, .reports("no topic"), message(0x30, topic: [], [])),
        accepting("topic with +", .reports("wildcards"), message(0x30, topic: [0x2B], [0])),
        accepting("topic with #", with: .v311, .reports("wildcards"), message(0x30, topic: [0x61, 0x2F, 0x23], [])),
        accepting("topic that is not UTF-8", .reports("not UTF-8"), message(0x30, topic: [0xFF, 0xFE], [0])),
        accepting("topic with U+0000", with: .v311, .reports("not UTF-8"), message(0x30, topic: [0x61, 0], [])),
        accepting("topic alias", .reports("topic alias"), message(0x30, topic: [0x74], [3, 0x23, 0, 1])),
        accepting("topic beyond the end", .reports("ends in a field"), packet(0x30, [0xFF, 0xFF, 0x74])),
        accepting("empty message", .reports("ends in a field"), [0x30, 0]),
        accepting("payload format 2", .reports("not allowed"), message(0x30, topic: [0x74], [2, 1, 2])),
        accepting("subscription 0", .reports("not allowed"), message(0x30, topic: [0x74], [2, 0x0B, 0])),
        accepting("expiry twice", .reports("twice"), message(0x30, topic: [0x74], [10, 2, 0, 0, 0, 1, 2, 0, 0, 0, 1])),
        accepting("property 4 of PUBLISH", .reports("unknown property 4"), message(0x30, topic: [0x74], [2, 4, 0])),
    ]

    private static let floods: [Self] = [
        accepting(
            "20 MB with QoS 1", with: .v311, .continues,
            message(0x32, topic: [0x63, 0x2F, 0x31], [0, 7] + [UInt8](repeating: 0, count: 20 << 20))),
        accepting(
            "1 MB with QoS 0", .continues,
            message(0x30, topic: [0x63, 0x2F, 0x31], [UInt8](repeating: 0, count: 1 << 20))),
        accepting(
            "a large message with the largest topic", .continues,
            message(
                0x32, topic: [UInt8](repeating: 0x61, count: 65_535),
                [0, 1] + [UInt8](repeating: 0, count: 256 << 10))),
        accepting(
            "a large message with QoS 2", .reports("QoS 2"),
            message(0x34, topic: [0x63], [0, 7] + [UInt8](repeating: 0, count: 1 << 20))),
        accepting(
            "20,000 messages at once", .continues,
            repeated(20_000) { message(0x32, topic: [0x63, 0x2F, 0x31], [UInt8($0 >> 8), UInt8($0 & 0xFF), 0]) }),
        accepting("10,000 answers without a request", .continues, repeated(10_000) { _ in [0xD0, 0] }),
        accepting(
            "10,000 acknowledgements without a message", .continues,
            repeated(10_000) { answer(0x40, $0 | 0x8000, []) }),
    ]

    private static func repeated(_ count: UInt16, _ bytes: (UInt16) -> [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for number in 1...count { result += bytes(number) }
        return result
    }
}
