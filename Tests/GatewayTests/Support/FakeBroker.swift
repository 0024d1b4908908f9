@testable import Gateway

/// The broker's side of MQTT for tests: it answers packets of the gateway normally, or with the bytes of a test.
struct FakeBroker {
    /// What replaces the normal answer to a packet.
    struct Rule {
        /// Returns the bytes for the identifier of the packet; 0 if it has none.
        var bytes: @Sendable (UInt16) -> [UInt8]
        var closes = false
    }

    struct Output {
        var bytes: [UInt8] = []
        var closes = false
    }

    private let version: BrokerSettings.Version
    private let rules: [MQTTPacketType: Rule]
    private var input: [UInt8] = []
    /// The messages that were confirmed.
    private(set) var confirmed: [Publication] = []
    private(set) var packets: [MQTTPacketType] = []
    private let isSessionPresent: Bool
    private let refusesRetainedWill: Bool
    /// The most bytes after the header of a message. A larger one closes the connection.
    private let maximumBody: Int

    init(
        _ version: BrokerSettings.Version = .v5, rules: [MQTTPacketType: Rule] = [:], isSessionPresent: Bool = false,
        refusesRetainedWill: Bool = false, maximumBody: Int = .max
    ) {
        self.maximumBody = maximumBody
        self.refusesRetainedWill = refusesRetainedWill
        self.version = version
        self.rules = rules
        self.isSessionPresent = isSessionPresent
    }

    /// Takes bytes of the gateway, and returns the answers to complete packets.
    mutating func receive(_ bytes: [UInt8]) -> Output {
        input += bytes
        var output = Output()
        while !output.closes, let (header, body) = takePacket() {
            let answer = answer(header, body)
            output.bytes += answer.bytes
            output.closes = answer.closes
        }
        return output
    }

    private mutating func takePacket() -> (header: UInt8, body: [UInt8])? {
        guard input.count >= 2 else { return nil }
        var length = 0
        var index = 1
        while index < input.count {
            length |= Int(input[index] & 0x7F) << (7 * (index - 1))
            index += 1
            if input[index - 1] & 0x80 == 0 { break }
        }
        guard input[index - 1] & 0x80 == 0, input.count >= index + length else { return nil }
        let packet = (input[0], Array(input[index..<index + length]))
        input.removeFirst(index + length)
        return packet
    }

    private mutating func answer(_ header: UInt8, _ body: [UInt8]) -> Output {
        guard let type = MQTTPacketType(header) else { return Output(closes: true) }
        packets.append(type)
        let identifier = Self.identifier(of: type, header, body)
        let number = [UInt8(identifier >> 8), UInt8(identifier & 0xFF)]
        if let rule = rules[type] {
            let bytes = rule.bytes(identifier)
            if type == .publish, identifier > 0, bytes.starts(with: [0x40, 2] + number) {
                confirmed.append(publication(body))
            }
            return Output(bytes: bytes, closes: rule.closes)
        }
        switch type {
        // The flags follow the name and the version of the protocol.
        case .connect where refusesRetainedWill && body[7] & 0x24 == 0x24:
            return Output(bytes: [0x20, 3, 0, 0x9A, 0], closes: true)
        case .connect:
            let flag: UInt8 = isSessionPresent ? 1 : 0
            return Output(bytes: version == .v5 ? [0x20, 3, flag, 0, 0] : [0x20, 2, flag, 0])
        case .publish where body.count > maximumBody: return Output(closes: true)
        case .publish:
            guard header & 6 != 0 else { return Output() }
            confirmed.append(publication(body))
            return Output(bytes: [0x40, 2] + number)
        case .subscribe:
            return Output(bytes: version == .v5 ? [0x90, 4] + number + [0, 1] : [0x90, 3] + number + [1])
        case .pingreq: return Output(bytes: [0xD0, 0])
        case .disconnect: return Output(closes: true)
        default: return Output()
        }
    }

    private static func identifier(of type: MQTTPacketType, _ header: UInt8, _ body: [UInt8]) -> UInt16 {
        let start: Int
        switch type {
        case .publish where header & 6 != 0: start = 2 + (Int(body[0]) << 8 | Int(body[1]))
        case .subscribe: start = 0
        default: return 0
        }
        return UInt16(body[start]) << 8 | UInt16(body[start + 1])
    }

    private func publication(_ body: [UInt8]) -> Publication {
        let length = Int(body[0]) << 8 | Int(body[1])
        let topic = String(decoding: body[2..<2 + length], as: UTF8.self)
        return Publication(topic: topic, payload: Array(body[(4 + length + (version == .v5 ? 1 : 0))...]))
    }
}
