import Testing

@testable import Gateway

@Suite(.serialized, .timeLimit(.minutes(5))) struct HostileBrokerSocketTests {
    private func client(_ server: ScriptedServer, _ version: BrokerSettings.Version) -> RealClient {
        var settings = BrokerSettings()
        settings.host = "127.0.0.1"
        settings.port = server.port
        settings.version = version
        return RealClient("one", settings)
    }

    @Test(arguments: HostileBehaviour.all.filter { !$0.needsTime && $0.expectation != .continues })
    func `The process survives a hostile broker, and connects again`(_ behaviour: HostileBehaviour) async throws {
        let server = try ScriptedServer(behaviour.version, peers: [behaviour.peer])
        defer { server.stop() }
        let client = client(server, behaviour.version)
        // Some behaviours begin with a subscription, some with a message.
        client.perform { broker in
            let record = broker.handler
            broker.handler = { [weak broker] event in
                if case .connected = event {
                    broker?.subscribe(to: ["c/+"])
                    broker?.publish(Publication("t", "x"), token: 1)
                }
                record?(event)
            }
            broker.connect()
        }
        await client.wait(for: "closed")
        client.connect()
        #expect(await client.next() == "connected false")
        await client.wait(for: "acknowledged 1")
        client.perform { $0.disconnect() }
        #expect(await client.next() == "closed requested")
    }

    @Test func `Without retained messages at a broker the last will is not retained`() async throws {
        let peer = FakeBroker(refusesRetainedWill: true)
        let server = try ScriptedServer(.v5, peers: Array(repeating: peer, count: 5))
        defer { server.stop() }
        var settings = BrokerSettings()
        settings.host = "127.0.0.1"
        settings.port = server.port
        let client = RealClient("one", settings, will: Publication("t", "offline", isRetained: true))
        client.connect()
        #expect(await client.next() == "closed unreachable")
        client.connect()
        #expect(await client.next() == "connected false")
        client.perform { $0.disconnect() }
        #expect(await client.next() == "closed requested")
        // This broker has not said that it keeps them, but has accepted the connection.
        client.connect()
        #expect(await client.next() == "closed unreachable")
        // It has contradicted itself, so each later connection needs one attempt.
        for _ in 0..<2 {
            client.connect()
            #expect(await client.next() == "connected false")
            client.perform { $0.disconnect() }
            #expect(await client.next() == "closed requested")
        }
    }

    @Test func `A message of 250 MB is skipped without keeping it`() async throws {
        let length = 250 << 20
        var writer = PacketWriter()
        writer.append([0x20, 2, 0, 0, 0x32])
        writer.variableInteger(length)
        writer.append([0, 3, 0x63, 0x2F, 0x31, 0, 9])
        let start = writer.bytes
        let peer = FakeBroker(.v311, rules: [.connect: FakeBroker.Rule { _ in start }])
        let server = try ScriptedServer(.v311, peers: [peer], flood: length - 7)
        defer { server.stop() }
        let client = client(server, .v311)
        client.connect()
        #expect(await client.next() == "connected false")
        #expect(await client.next() == "skipped c/1 \(length)")
        client.publish(Publication("t", "x"), 1)
        #expect(await client.next() == "acknowledged 1")
    }
}
