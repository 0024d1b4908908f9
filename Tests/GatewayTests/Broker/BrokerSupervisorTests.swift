import Gateway
import Testing

@Suite struct BrokerSupervisorTests {
    @Test func `Pauses double up to the limit and vary`() {
        let setup = DeliverySetup()
        setup.server.stop()
        setup.delivery.start()
        setup.time.advance(by: .seconds(3600))
        let shortest = 3600 / 61
        #expect((shortest...shortest * 2 + 10).contains(setup.server.attemptCount), "\(setup.server.attemptCount)")
        #expect(setup.noticeTexts.count == 1, "\(setup.noticeTexts)")
    }

    @Test func `During an outage of 5 s, each pause is at most 1 s`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.stop()
        for second in 1...5 {
            let count = setup.server.attemptCount
            // The connection itself takes a moment.
            setup.time.advance(by: .milliseconds(1010))
            #expect(setup.server.attemptCount > count, "second \(second)")
        }
        let count = setup.server.attemptCount
        setup.time.advance(by: .seconds(60))
        #expect(setup.server.attemptCount - count <= 8, "\(setup.server.attemptCount - count)")
    }

    @Test func `Two gateways with one client identifier rarely displace each other`() {
        let setup = DeliverySetup()
        let other = MessageDelivery(
            broker: setup.server.client(setup.broker.client), client: setup.broker.client,
            availability: "home/attic/LWT", store: SimulatedStore(identity: "o"), seed: 2, loop: setup.time.loop)
        setup.delivery.start()
        other.start()
        setup.time.advance(by: .seconds(600))
        let count = setup.server.connectionCount
        setup.time.advance(by: .seconds(3600))
        #expect((1...260).contains(setup.server.connectionCount - count), "\(setup.server.connectionCount - count)")
    }

    @Test func `A refused connection is tried again at the longest pause`() {
        let setup = DeliverySetup()
        setup.server.refusal = BrokerFailure(.refused, "the broker refused the password")
        setup.delivery.start()
        setup.time.advance(by: .seconds(25))
        #expect(setup.server.attemptCount == 1)
        setup.server.refusal = nil
        setup.time.advance(by: .seconds(40))
        #expect(setup.delivery.isConnected)
    }

    @Test func `A broker that closes at once is not connected in a tight loop`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        for _ in 0..<600 {
            setup.time.advance(by: .seconds(1))
            setup.server.close("ble-gateway-attic")
        }
        #expect(setup.server.connectionCount < 30, "\(setup.server.connectionCount)")
    }

    @Test func `Availability and subscriptions return after a restart of the broker`() {
        let setup = DeliverySetup()
        setup.delivery.subscribe(to: ["c/+"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.stop(keepsState: false)
        #expect(setup.availability == nil)
        setup.server.start()
        setup.time.advance(by: .seconds(5))
        setup.server.publish(Publication("c/1", "go"))
        setup.time.advance(by: .seconds(1))

        #expect(setup.availability == "online")
        #expect(setup.received == [ReceivedMessage(topic: "c/1", payload: Array("go".utf8))])
    }

    @Test func `A refused subscription is reported, and tried again with the next connection`() {
        let setup = DeliverySetup()
        setup.server.refusedFilters = ["c/+"]
        setup.delivery.subscribe(to: ["c/+"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        #expect(
            setup.noticeTexts.last
                == "the broker refused the subscription to c/+: not authorized; check the access rights in the broker")
        setup.server.refusedFilters = []
        // The broker still has the session.
        setup.server.close("ble-gateway-attic")
        setup.time.advance(by: .seconds(5))
        setup.server.publish(Publication("c/1", "go"))
        setup.time.advance(by: .seconds(1))
        #expect(setup.received == [ReceivedMessage(topic: "c/1", payload: Array("go".utf8))])
    }

    @Test func `A refused end of a subscription is reported`() {
        let setup = DeliverySetup()
        setup.delivery.subscribe(to: ["c/+"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.refusedFilters = ["c/+"]
        setup.delivery.unsubscribe(from: ["c/+"])
        setup.time.advance(by: .seconds(1))
        #expect(
            setup.noticeTexts.last
                == "the broker refused to end the subscription to c/+: not authorized; its messages are ignored")
    }

    @Test(arguments: [true, false])
    func `An ended subscription stays ended, also in a session that the broker keeps`(isConnected: Bool) {
        let setup = DeliverySetup()
        setup.delivery.subscribe(to: ["c/+", "d/+"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        if !isConnected { setup.server.stop() }
        setup.delivery.unsubscribe(from: ["c/+"])
        setup.time.advance(by: .seconds(1))
        setup.server.start()
        setup.time.advance(by: .seconds(10))
        setup.server.publish(Publication("c/1", "old"))
        setup.server.publish(Publication("d/1", "new"))
        setup.time.advance(by: .seconds(1))
        #expect(setup.received.map(\.topic) == ["d/1"])
        setup.delivery.subscribe(to: ["c/+"])
        setup.server.close("ble-gateway-attic")
        setup.time.advance(by: .seconds(10))
        setup.server.publish(Publication("c/1", "again"))
        setup.time.advance(by: .seconds(1))
        #expect(setup.received.map(\.topic) == ["d/1", "c/1"])
    }

    @Test func `A broker without retained messages is reported once, until it keeps them`() {
        let setup = DeliverySetup()
        let lines = { setup.noticeTexts.filter { $0.hasPrefix("the broker keeps no retained messages: ") } }
        let reconnect = {
            setup.server.close("ble-gateway-attic")
            setup.time.advance(by: .seconds(10))
        }
        setup.server.keepsRetained = false
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        #expect(lines().count == 1 && !setup.delivery.keepsRetained)
        for _ in 0..<3 { reconnect() }
        #expect(lines().count == 1 && !setup.delivery.keepsRetained)
        setup.server.keepsRetained = true
        reconnect()
        #expect(setup.delivery.keepsRetained)
        setup.server.keepsRetained = false
        reconnect()
        #expect(lines().count == 2)
    }

    @Test func `The last will reports the gateway offline after a crash`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.broker.crash()
        #expect(setup.availability == "offline")
    }

    @Test func `Large payloads and floods are ignored and reported once`() {
        let setup = DeliverySetup()
        setup.delivery.subscribe(to: ["c/#"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        let large = [UInt8](repeating: 0x20, count: (64 << 10) + 1)
        setup.server.publish(Publication(topic: "c/1", payload: large))
        for _ in 0..<100_000 { setup.server.publish(Publication("c/2", "x")) }
        setup.time.advance(by: .seconds(1))
        #expect((200...220).contains(setup.received.count))
        #expect(setup.noticeTexts.count == 2, "\(setup.noticeTexts)")
        setup.server.publish(Publication("c/3", "still here"))
        setup.time.advance(by: .seconds(1))
        #expect(setup.received.last?.topic == "c/3")
        // Also without a further message, the rest is reported, and each message is counted.
        setup.time.advance(by: .seconds(60))
        #expect(setup.noticeTexts.count == 3, "\(setup.noticeTexts)")
        #expect(setup.delivery.summary.receivedIgnored == 100_001 - setup.received.count + 1)
    }

    @Test func `The availability returns if another client replaces it, at most every 10 s`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        let sent = setup.server.messageCount
        setup.server.publish(Publication("home/attic/LWT", "offline", isRetained: true))
        setup.time.advance(by: .seconds(1))
        #expect(setup.availability == "online")
        for _ in 0..<100 { setup.server.publish(Publication("home/attic/LWT", "", isRetained: true)) }
        setup.time.advance(by: .seconds(11))
        #expect(setup.availability == "online")
        #expect(setup.server.messageCount - sent == 101 + 2)
        #expect(setup.received.isEmpty)
    }

    @Test func `A last will of an earlier connection has one correction`() {
        let setup = DeliverySetup()
        // The message arrives once for each subscription.
        setup.delivery.subscribe(to: ["home/+/LWT"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        let sent = setup.server.messageCount
        for _ in 0..<2 { setup.server.publish(Publication("home/attic/LWT", "offline", isRetained: true)) }
        setup.time.advance(by: .seconds(30))
        #expect(setup.availability == "online" && setup.server.messageCount - sent == 2 + 1)
    }

    @Test func `An orderly end leaves the availability offline`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.isAcknowledging = false
        setup.delivery.stop {}
        setup.time.advance(by: .seconds(30))
        #expect(setup.availability == "offline")
    }

    @Test func `Direct messages need a connection and do not use the store`() {
        let setup = DeliverySetup()
        #expect(!setup.delivery.publish(Publication("r/status", "{}", isRetained: true)))
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        #expect(setup.delivery.publish(Publication("r/status", "{}", isRetained: true)))
        setup.time.advance(by: .seconds(1))
        #expect(setup.server.retained["r/status"]?.text == "{}")
        #expect(setup.store.transactionCount == 0)
    }
}
