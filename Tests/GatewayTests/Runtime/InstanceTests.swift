import Testing

@testable import Gateway

/// Two gateways with the same name.
@Suite struct InstanceTests {
    private func duplicateLines(_ stage: GatewayStage) -> [String] {
        stage.events.map(\.description).filter { $0.contains("another gateway with the name") }
    }

    @Test func `Two gateways with one name are named, and both stay connected`() throws {
        let first = GatewayStage(.strap())
        first.run(for: .seconds(30))
        let second = GatewayStage(.strap(), sharing: first, store: SimulatedStore(identity: "t"))
        second.run(for: .seconds(120))
        let connections = first.server.connectionCount
        #expect(connections <= 8)
        first.time.advance(by: .seconds(1800))
        // No further change of hands.
        #expect(first.server.connectionCount == connections)
        #expect(first.broker.isConnected && second.broker.isConnected)
        #expect(duplicateLines(first).count == 1 && duplicateLines(second).count == 1, "\(first.events)")
        #expect(duplicateLines(second)[0].hasSuffix("that one executes the commands"))
        #expect(!duplicateLines(first)[0].hasSuffix("that one executes the commands"))
        #expect(first.gateway.status().duplicate != nil && second.gateway.status().duplicate != nil)
        #expect(try first.retained("home/attic/status")?["duplicate"]?.string?.isEmpty == false)
        #expect(first.gateway.metrics().contains("ble_gateway_duplicate 1\n"))
        #expect(first.server.retained["home/attic/LWT"]?.text == "online")

        #expect(second.stop())
        first.time.advance(by: .seconds(300))
        #expect(first.gateway.status().duplicate == nil)
        #expect(first.events.contains { $0.description.hasPrefix("no other gateway has the name “attic” any more") })
    }

    @Test func `Two gateways with one name and different identifiers are named`() {
        let first = GatewayStage(.strap()) { $0.broker.clientIdentifier = "a" }
        first.run(for: .seconds(30))
        let second = GatewayStage(.strap(), sharing: first, store: SimulatedStore(identity: "t")) {
            $0.broker.clientIdentifier = "b"
        }
        second.run(for: .seconds(120))
        #expect(duplicateLines(first).count == 1 && duplicateLines(second).count == 1)
    }

    @Test func `A restart of a gateway, also after a crash, is no other gateway`() {
        let first = GatewayStage(.strap())
        first.run(for: .seconds(90))
        first.broker.crash()
        let second = GatewayStage(.strap(), sharing: first, store: SimulatedStore(identity: "t"))
        second.run(for: .seconds(60))
        second.server.close("ble-gateway-attic")
        second.time.advance(by: .seconds(300))
        #expect(duplicateLines(second).isEmpty && second.gateway.status().duplicate == nil)
    }

    @Test func `Gateways with different names are no duplicates`() {
        let first = GatewayStage(.strap())
        first.run(for: .seconds(30))
        let second = GatewayStage(.strap(), name: "cellar", sharing: first, store: SimulatedStore(identity: "t"))
        second.run(for: .seconds(300))
        #expect(duplicateLines(first).isEmpty && duplicateLines(second).isEmpty)
    }

    @Test func `Repeated takeovers by another client end with another identifier`() {
        var watch = InstanceWatch(InstanceWatch.Instance(id: "a", host: "here", started: 10))
        #expect(watch.takenOver(at: .seconds(1)).isEmpty && watch.takenOver(at: .seconds(2)).isEmpty)
        #expect(watch.takenOver(at: .seconds(3)).isEmpty)
        #expect(watch.takenOver(at: .seconds(4)) == [.useOwnIdentifier])
        #expect(watch.takenOver(at: .seconds(5)).isEmpty)
        var rare = InstanceWatch(InstanceWatch.Instance(id: "a", host: "here", started: 10))
        for minute in 0..<60 { #expect(rare.takenOver(at: .seconds(60 * minute)).isEmpty) }
    }

    @Test(arguments: ["", "{}", #"{"instance":7}"#, #"{"instance":{"id":7,"started":1}}"#, "[1"])
    func `A status of another program is ignored`(_ text: String) {
        var watch = InstanceWatch(InstanceWatch.Instance(id: "a", host: "here", started: 10))
        let message = ReceivedMessage(topic: "s", payload: Array(text.utf8), isRetained: false)
        #expect(watch.receive(message, at: .zero).isEmpty)
    }
}
