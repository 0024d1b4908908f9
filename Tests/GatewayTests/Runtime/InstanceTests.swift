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

    @Test func `Only the older gateway executes commands, until it is gone`() throws {
        let first = GatewayStage(.strap()) { $0.devices = [DeviceSettings(.strap, [])] }
        first.run(for: .seconds(30))
        let second = GatewayStage(.strap(), sharing: first, store: SimulatedStore(identity: "t")) {
            $0.devices = [DeviceSettings(.strap, [])]
        }
        second.run(for: .seconds(120))
        first.command(#"{"id":"1","read":"2A38"}"#)
        first.time.advance(by: .seconds(30))
        #expect(try first.results().map { $0["id"] } == [.string("1")])
        let left = second.events.map(\.description).filter { $0.contains("C0FFEE000001 is left to the gateway") }
        #expect(left.count == 1, "\(second.events)")
        #expect(second.gateway.metrics().contains("ble_gateway_drops_total{reason=\"commands_left\"} 1\n"))
        #expect(first.gateway.metrics().contains("ble_gateway_drops_total{reason=\"commands_left\"} 0\n"))

        first.broker.crash()
        second.time.advance(by: .seconds(300))
        #expect(second.gateway.status().duplicate == nil)
        second.command(#"{"id":"2","read":"2A38"}"#)
        second.time.advance(by: .seconds(30))
        #expect(try second.results().map { $0["id"] } == [.string("1"), .string("2")])
    }

    private func status(_ id: String, started: Int) -> ReceivedMessage {
        let text = #"{"instance":{"id":"\#(id)","host":"there","started":\#(started)}}"#
        return ReceivedMessage(topic: "s", payload: Array(text.utf8), isRetained: false)
    }

    @Test func `Of three gateways, the younger ones give way all the time`() {
        var watch = InstanceWatch(InstanceWatch.Instance(id: "b", host: "here", started: 20))
        #expect(watch.receive(status("c", started: 30), at: .zero).count == 1)
        #expect(!watch.givesWay)
        #expect(watch.receive(status("a", started: 10), at: .seconds(1)).count == 2)
        for second in 2...180 {
            #expect(watch.receive(status("c", started: 30), at: .seconds(second)).isEmpty)
            #expect(watch.givesWay && watch.other?.id == "a")
        }
        #expect(watch.expire(at: .seconds(191)).isEmpty && watch.givesWay)
        #expect(watch.expire(at: .seconds(192)) == [.resumed])
        #expect(!watch.givesWay && watch.other?.id == "c")
        let last = InstanceWatch.Instance(id: "c", host: "there", started: 30)
        #expect(watch.expire(at: .seconds(371)) == [.gone(last)])
    }

    @Test func `A single forged start of another gateway has no lasting effect`() {
        var watch = InstanceWatch(InstanceWatch.Instance(id: "b", host: "here", started: 20))
        #expect(watch.receive(status("c", started: 30), at: .zero).count == 1)
        #expect(watch.receive(status("c", started: -1), at: .seconds(1)).count == 2 && watch.givesWay)
        for second in [60, 120, 180] {
            #expect(watch.receive(status("c", started: 30), at: .seconds(second)).isEmpty)
            #expect(watch.expire(at: .seconds(second)).isEmpty && watch.givesWay)
        }
        #expect(watch.receive(status("c", started: 30), at: .seconds(240)) == [.resumed])
        #expect(!watch.givesWay && watch.other?.started == 30)
        #expect(watch.receive(status("c", started: 30), at: .seconds(300)).isEmpty)
    }

    @Test func `Many invented gateways make a few lines, and do not hide an older one`() {
        var watch = InstanceWatch(InstanceWatch.Instance(id: "b", host: "here", started: 5_000))
        var count = 0
        for number in 0..<10_000 {
            count += watch.receive(status("x\(number)", started: 10_000 - number), at: .zero).count
            count += watch.receive(status("y", started: number % 2 * 10_000), at: .zero).count
        }
        #expect(count == 3)
        #expect(watch.receive(status("a", started: -1), at: .zero).isEmpty)
        for number in 0..<100 { count += watch.receive(status("z\(number)", started: 10_000), at: .zero).count }
        #expect(count == 3 && watch.givesWay && watch.other?.id == "a")
    }

    @Test(arguments: ["", "{}", #"{"instance":7}"#, #"{"instance":{"id":7,"started":1}}"#, "[1"])
    func `A status of another program is ignored`(_ text: String) {
        var watch = InstanceWatch(InstanceWatch.Instance(id: "a", host: "here", started: 10))
        let message = ReceivedMessage(topic: "s", payload: Array(text.utf8), isRetained: false)
        #expect(watch.receive(message, at: .zero).isEmpty)
    }
}
