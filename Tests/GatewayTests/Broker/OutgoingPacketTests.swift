import Testing

@testable import Gateway

@Suite struct OutgoingPacketTests {
    private func client(_ version: BrokerSettings.Version, _ change: (inout BrokerClient) -> Void = { _ in })
        -> BrokerClient
    {
        var settings = BrokerSettings()
        settings.version = version
        var client = BrokerClient(identifier: "id", settings: settings)
        change(&client)
        return client
    }

    @Test func `A request with MQTT 3 has the session, the will and the password`() {
        let packet = OutgoingPacket.connect(
            client(.v311) {
                $0.will = Publication("w", "x", isRetained: true)
                $0.settings.user = "u"
                $0.settings.password = Secret("p")
            })
        #expect(
            packet == [0x10, 26, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 0xEC, 0, 15, 0, 2, 0x69, 0x64]
                + [0, 1, 0x77, 0, 1, 0x78, 0, 1, 0x75, 0, 1, 0x70])
    }

    @Test func `A request with MQTT 5 has the limits of the gateway`() {
        let packet = OutgoingPacket.connect(client(.v5) { $0.settings.sessionExpiry = .seconds(60) })
        #expect(
            packet == [0x10, 31, 0, 4, 0x4D, 0x51, 0x54, 0x54, 5, 0, 0, 15, 16, 0x11, 0, 0, 0, 60, 0x21, 0, 100]
                + [0x27, 0, 4, 0, 0, 0x22, 0, 0, 0, 2, 0x69, 0x64])
    }

    @Test func `Without a session the request is for a clean one`() {
        let packet = OutgoingPacket.connect(client(.v311) { $0.settings.sessionExpiry = .zero })
        #expect(packet[9] == 0x02)
    }

    @Test func `Messages, subscriptions and acknowledgements have the bytes of the specification`() {
        let message = Publication("t", "hi", isRetained: true)
        #expect(OutgoingPacket.publish(message, identifier: 258, .v5) == [0x33, 8, 0, 1, 0x74, 1, 2, 0, 0x68, 0x69])
        #expect(OutgoingPacket.publish(message, identifier: nil, .v311) == [0x31, 5, 0, 1, 0x74, 0x68, 0x69])
        let subscription = OutgoingPacket.subscribe(to: "t/#", identifier: 7, .v5)
        #expect(subscription == [0x82, 9, 0, 7, 0, 0, 3, 0x74, 0x2F, 0x23, 1])
        #expect(OutgoingPacket.subscribe(to: "t", identifier: 7, .v311) == [0x82, 6, 0, 7, 0, 1, 0x74, 1])
        #expect(OutgoingPacket.unsubscribe(from: "t", identifier: 7, .v5) == [0xA2, 6, 0, 7, 0, 0, 1, 0x74])
        #expect(OutgoingPacket.unsubscribe(from: "t", identifier: 7, .v311) == [0xA2, 5, 0, 7, 0, 1, 0x74])
        #expect(OutgoingPacket.acknowledge(258) == [0x40, 2, 1, 2])
        #expect(OutgoingPacket.disconnect(0x95, .v5) == [0xE0, 1, 0x95])
        #expect(OutgoingPacket.disconnect(0x95, .v311) == [0xE0, 0])
    }

    @Test(arguments: [0, 100, 121, 122, 16_000, 17_000])
    func `The size of a message is known before it is made`(_ count: Int) {
        let message = Publication(topic: "topic", payload: [UInt8](repeating: 0, count: count))
        for version in [BrokerSettings.Version.v5, .v311] {
            let packet = OutgoingPacket.publish(message, identifier: 1, version)
            #expect(OutgoingPacket.size(of: message, version) == packet.count)
        }
    }
}
