import Gateway
import Testing

@Suite struct SimulatedBrokerTests {
    let time = VirtualLoop()

    private func client(_ server: SimulatedBrokerServer, _ name: String) -> (SimulatedBroker, EventRecorder) {
        let will = Publication("home/\(name)/LWT", "offline", isRetained: true)
        let broker = server.client(BrokerClient(identifier: name, will: will))
        return (broker, EventRecorder(broker))
    }

    @Test func `A message is acknowledged and delivered to other clients`() {
        let server = SimulatedBrokerServer(loop: time.loop)
        let subscriber = server.subscribe(to: "a/+")
        let (one, oneEvents) = client(server, "one")
        let (two, twoEvents) = client(server, "two")
        one.connect()
        two.connect()
        time.advance(by: .seconds(1))
        two.subscribe(to: ["a/#"])
        one.publish(Publication("a/b", "1"), token: 7)
        one.publish(Publication("a/c", "2", qualityOfService: 0), token: 8)
        time.advance(by: .seconds(1))

        #expect(oneEvents.texts == ["connected false", "acknowledged 7"])
        #expect(twoEvents.texts == ["connected false", "received a/b 1", "received a/c 2"])
        #expect(subscriber.deliveries.map(\.text) == ["1", "2"])
    }

    @Test func `The last will is published unless the client disconnects`() {
        let server = SimulatedBrokerServer(loop: time.loop)
        let (one, oneEvents) = client(server, "one")
        let (two, _) = client(server, "two")
        one.connect()
        two.connect()
        time.advance(by: .seconds(1))
        one.disconnect()
        two.crash()
        time.advance(by: .seconds(1))

        #expect(server.retained["home/one/LWT"] == nil)
        #expect(server.retained["home/two/LWT"]?.text == "offline")
        #expect(oneEvents.texts == ["connected false", "closed requested"])
    }

    @Test func `A session keeps subscriptions and messages until it expires`() {
        let server = SimulatedBrokerServer(loop: time.loop)
        let (one, events) = client(server, "one")
        one.connect()
        time.advance(by: .seconds(1))
        one.subscribe(to: ["a"])
        server.stop()
        server.start()
        server.publish(Publication("a", "1"))
        server.publish(Publication("a", "2", qualityOfService: 0))
        time.advance(by: .seconds(1))
        one.connect()
        time.advance(by: .seconds(1))
        #expect(events.texts == ["connected false", "closed unreachable", "connected true", "received a 1"])

        one.disconnect()
        time.advance(by: .seconds(86_500))
        one.connect()
        time.advance(by: .seconds(1))
        #expect(events.texts.suffix(2) == ["closed requested", "connected false"])
    }

    @Test func `Retained messages reach later subscriptions`() {
        let server = SimulatedBrokerServer(loop: time.loop)
        server.publish(Publication("a", "1", isRetained: true))
        server.publish(Publication("b", "1", isRetained: true))
        server.publish(Publication("b", "", isRetained: true))
        let (one, events) = client(server, "one")
        one.connect()
        time.advance(by: .seconds(1))
        one.subscribe(to: ["#"])
        time.advance(by: .seconds(1))

        #expect(events.texts == ["connected false", "received a 1"])
        #expect(server.subscribe(to: "#").deliveries.map(\.isRetained) == [true])
    }

    @Test func `Faults close, refuse, isolate and lose acknowledgements`() {
        let server = SimulatedBrokerServer(loop: time.loop)
        let (one, events) = client(server, "one")
        server.refusal = BrokerFailure(.refused, "wrong password")
        one.connect()
        time.advance(by: .seconds(1))
        server.refusal = nil
        one.connect()
        time.advance(by: .seconds(1))
        server.acknowledgementsToLose = 1
        one.publish(Publication("a", "1"), token: 1)
        one.publish(Publication("a", "2"), token: 2)
        time.advance(by: .seconds(1))
        one.isolate()
        one.publish(Publication("a", "3"), token: 3)
        time.advance(by: .seconds(22))
        #expect(server.connectedClients == ["one"])
        time.advance(by: .seconds(1))

        #expect(server.connectedClients.isEmpty)
        #expect(events.texts == ["closed refused", "connected false", "acknowledged 2", "closed unreachable"])
        #expect(server.messageCount == 3)
    }
}
