import Testing

@testable import Gateway

@Suite struct IncomingPacketTests {
    private func decode(_ bytes: [UInt8], _ version: BrokerSettings.Version = .v5) throws -> IncomingPacket {
        var framer = PacketFramer()
        var input = bytes[...]
        guard case .packet(let header, let body) = try framer.next(&input) else {
            throw MQTTViolation.malformed("no packet")
        }
        return try IncomingPacket(header: header, body: body, version: version)
    }

    @Test func `Messages of both versions are decoded`() throws {
        let expected = { (expiry: Bool) -> IncomingPacket in
            var reader = PacketReader([0, 1, 0x74, 0, 9] + (expiry ? [5, 2, 0, 0, 0, 60] : [0]) + [0x68, 0x69])
            return .publish(try! IncomingMessage(0x33, &reader, .v5))
        }
        let plain: [UInt8] = [0x33, 8, 0, 1, 0x74, 0, 9, 0, 0x68, 0x69]
        #expect(try decode(plain) == expected(false))
        guard case .publish(let message) = try decode([0x33, 7, 0, 1, 0x74, 0, 9, 0x68, 0x69], .v311) else {
            Issue.record("no message")
            return
        }
        #expect(message.topic == "t")
        #expect(message.identifier == 9)
        #expect(message.isRetained)
        #expect(message.expiry == nil)
        #expect(Array(message.payload) == [0x68, 0x69])
        guard case .publish(let expiring) = try decode([0x30, 10, 0, 1, 0x74, 5, 2, 0, 0, 0, 60, 0x68]) else {
            Issue.record("no message")
            return
        }
        #expect(expiring.expiry != nil)
        #expect(expiring.identifier == nil)
    }

    @Test func `Acknowledgements are decoded`() throws {
        #expect(try decode([0x40, 2, 1, 2]) == .puback(identifier: 0x0102, reason: 0))
        #expect(try decode([0x40, 3, 0, 2, 0x97]) == .puback(identifier: 2, reason: 0x97))
        #expect(try decode([0x40, 4, 0, 2, 0x10, 0]) == .puback(identifier: 2, reason: 0x10))
        let reason: [UInt8] = [0x40, 8, 0, 2, 0x87, 4, 0x1F, 0, 1, 0x61]
        #expect(try decode(reason) == .puback(identifier: 2, reason: 0x87))
        #expect(try decode([0x90, 4, 0, 2, 0, 1]) == .suback(identifier: 2, reasons: [1]))
        #expect(try decode([0x90, 3, 0, 2, 0x80], .v311) == .suback(identifier: 2, reasons: [0x80]))
        #expect(try decode([0xB0, 4, 0, 2, 0, 0x11]) == .unsuback(identifier: 2, reason: 0x11))
        #expect(try decode([0xB0, 2, 0, 2], .v311) == .unsuback(identifier: 2, reason: 0))
        #expect(try decode([0xD0, 0]) == .pingresp)
        #expect(try decode([0xE0, 0]) == .disconnect(reason: 0))
        #expect(try decode([0xE0, 1, 0x8B]) == .disconnect(reason: 0x8B))
    }

    @Test func `The limits of a broker are decoded`() throws {
        let properties: [UInt8] =
            [0x21, 0, 10, 0x24, 1, 0x25, 0, 0x27, 0, 0, 0x10, 0, 0x12, 0, 2, 0x61, 0x62, 0x22, 0, 5, 0x13, 0, 3]
            + [0x11, 0, 0, 0, 60, 0x26, 0, 1, 0x6B, 0, 1, 0x76, 0x28, 1, 0x29, 0, 0x2A, 0]
        let packet: [UInt8] = [0x20, UInt8(properties.count + 3), 1, 0, UInt8(properties.count)] + properties
        guard case .connack(let answer) = try decode(packet) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.reason == 0)
        #expect(answer.isSessionPresent)
        #expect(answer.receiveMaximum == 10)
        #expect(answer.maximumQoS == 1)
        #expect(!answer.isRetainAvailable)
        #expect(answer.maximumPacketSize == 4096)
        #expect(answer.assignedIdentifier == "ab")
        #expect(answer.keepAlive == .seconds(3))
    }

    @Test func `Without limits a broker has those of MQTT`() throws {
        for (bytes, version) in [([0x20, 3, 0, 0, 0], .v5), ([0x20, 2, 0, 0], .v311)]
            as [([UInt8], BrokerSettings.Version)]
        {
            guard case .connack(let answer) = try decode(bytes, version) else {
                Issue.record("no answer")
                return
            }
            #expect(answer.receiveMaximum == 65_535)
            #expect(answer.maximumQoS == 2)
            #expect(answer.isRetainAvailable)
            #expect(answer.maximumPacketSize == nil)
            #expect(answer.keepAlive == nil)
        }
    }

    @Test func `An older broker that refuses MQTT 5 is understood`() throws {
        guard case .connack(let answer) = try decode([0x20, 2, 0, 1]) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.reason == 1)
        #expect(answer.isVersion3)
    }

    @Test func `Random bytes are decoded or refused`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0 ... .max) }
            for version in [BrokerSettings.Version.v5, .v311] { _ = try? decode(bytes, version) }
        }
    }

    @Test func `Each changed bit of a valid packet is decoded or refused`() {
        let packets: [[UInt8]] = [
            [0x33, 8, 0, 1, 0x74, 0, 9, 0, 0x68, 0x69], [0x30, 10, 0, 1, 0x74, 5, 2, 0, 0, 0, 60, 0x68],
            [0x40, 8, 0, 2, 0x87, 4, 0x1F, 0, 1, 0x61], [0x90, 4, 0, 2, 0, 1], [0xD0, 0], [0xE0, 1, 0x8B],
            [0x20, 14, 1, 0, 11, 0x21, 0, 10, 0x24, 1, 0x25, 0, 0x27, 0, 0, 0x10],
            [0x20, 12, 0, 0, 9, 0x26, 0, 1, 0x6B, 0, 3, 0x76, 0xC3, 0xA9],
        ]
        for packet in packets {
            for index in packet.indices {
                for bit in 0..<8 {
                    var changed = packet
                    changed[index] ^= 1 << UInt8(bit)
                    for version in [BrokerSettings.Version.v5, .v311] { _ = try? decode(changed, version) }
                }
                _ = try? decode(Array(packet[...index]))
            }
        }
    }
}
