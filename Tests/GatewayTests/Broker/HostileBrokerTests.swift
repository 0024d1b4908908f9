import Testing

@testable import Gateway

@Suite(.timeLimit(.minutes(5))) struct HostileBrokerTests {
    /// A delivery with real MQTT, and a broker that misbehaves during its first connection.
    private final class Setup {
        let time = VirtualLoop()
        let store = SimulatedStore(identity: "s")
        let broker: ScriptedBroker
        let delivery: MessageDelivery
        private(set) var notices: [String] = []

        init(_ behaviour: HostileBehaviour, chunkSize: Int? = nil) {
            var settings = BrokerSettings()
            settings.version = behaviour.version
            let client = BrokerClient(gateway: "attic", availability: "home/attic/LWT", settings: settings)
            broker = ScriptedBroker(client, loop: time.loop)
            broker.peers = [behaviour.peer]
            broker.chunkSize = chunkSize
            delivery = MessageDelivery(
                broker: broker, client: client, availability: "home/attic/LWT", store: store, seed: 1, loop: time.loop)
            delivery.onNotice = { [unowned self] in notices.append($0.description) }
            delivery.subscribe(to: ["c/+"])
        }

        func store(_ numbers: Range<Int>) {
            for number in numbers { delivery.store(Publication("r/1", #"{"n":\#(number)}"#)) }
        }

        var readings: [String] { broker.allConfirmed.filter { $0.topic == "r/1" }.map(\.text) }
    }

    private func run(_ behaviour: HostileBehaviour, chunkSize: Int? = nil) {
        let setup = Setup(behaviour, chunkSize: chunkSize)
        setup.store(0..<5)
        setup.time.advance(by: .seconds(1))
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.store(5..<10)
        setup.time.advance(by: .seconds(90))
        switch behaviour.expectation {
        case .reports(let text):
            #expect(setup.notices.contains { $0.contains(text) }, "\(setup.notices)")
            #expect(setup.broker.connectionCount > 1)
        case .continues:
            #expect(setup.broker.connectionCount == 1, "\(setup.notices)")
            setup.broker.closeByPeer()
        }
        setup.time.advance(by: .seconds(120))
        let expected = (1...10).map { "{\"mid\":\"s-\($0)\",\"n\":\($0 - 1)}" }
        #expect(Set(setup.readings) == Set(expected), "\(setup.notices)")
        #expect(setup.store.summary.count == 0)
        #expect(setup.delivery.isConnected)
        #expect(setup.delivery.summary.rejected == 0)
        // The bytes of a packet, and a topic; the gateway keeps nothing else.
        #expect(setup.broker.maximumBuffered <= PacketFramer.maximumLength + 65_539)
        #expect(setup.broker.connectionCount < 12, "\(setup.notices)")
    }

    @Test(arguments: HostileBehaviour.all) func `A hostile broker costs no reading`(_ behaviour: HostileBehaviour) {
        run(behaviour)
    }

    @Test(arguments: HostileBehaviour.all)
    func `A hostile broker that sends slowly costs no reading`(_ behaviour: HostileBehaviour) {
        run(behaviour, chunkSize: behaviour.name.contains("MB") || behaviour.name.contains("large") ? 1000 : 1)
    }

    @Test func `The table has enough behaviours with different names`() {
        #expect(HostileBehaviour.all.count >= 60)
        #expect(Set(HostileBehaviour.all.map(\.name)).count == HostileBehaviour.all.count)
    }

    @Test func `A message of the broker that is too large is counted, reported and acknowledged`() {
        let behaviour = HostileBehaviour.all.first { $0.name.hasPrefix("20 MB") }!
        let setup = Setup(behaviour)
        setup.delivery.start()
        setup.time.advance(by: .seconds(5))
        #expect(setup.delivery.summary.receivedIgnored == 1)
        #expect(
            setup.notices.last
                == "1 received message was ignored: a message of 20971527 bytes to c/1 is too large")
        #expect(setup.broker.packets.contains(.puback))
    }
}
