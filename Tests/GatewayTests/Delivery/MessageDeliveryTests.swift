import Gateway
import Testing

@Suite struct MessageDeliveryTests {
    @Test func `A stored reading reaches subscribers with an id and leaves the store`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.storeReadings(0..<3)
        setup.time.advance(by: .seconds(10))

        #expect(
            setup.subscriber.deliveries.map(\.text) == [
                #"{"mid":"s-1","n":0}"#, #"{"mid":"s-2","n":1}"#, #"{"mid":"s-3","n":2}"#,
            ])
        #expect(setup.store.summary.count == 0)
        #expect(setup.delivery.summary.inFlight == 0)
    }

    @Test func `Nothing is lost while the broker is down for 24 hours`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.storeReadings(0..<10)
        setup.server.stop()
        setup.storeReadings(10..<86_410)
        #expect(setup.store.summary.count == 86_400)
        #expect(setup.delivery.summary.unstored == 0)
        setup.server.start()
        setup.storeReadings(86_410..<86_600)
        setup.time.advance(by: .seconds(10))

        #expect(setup.ids == (1...86_600).map { "s-\($0)" })
        #expect(setup.store.summary.count == 0)
        #expect(setup.store.summary.dropped == 0)
        #expect(setup.noticeTexts.count == 4, "\(setup.noticeTexts)")
    }

    @Test func `A backlog is sent at a limited rate and within the window`() {
        let setup = DeliverySetup()
        for number in 0..<10_000 { setup.storeReading(number) }
        setup.time.advance(by: .seconds(1))
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        #expect((1000...2000).contains(setup.ids.count))
        #expect(setup.delivery.summary.inFlight <= 20)
        setup.time.advance(by: .seconds(6))
        #expect(setup.ids.count == 10_000)
    }

    @Test func `Lost confirmations cause duplicates with the same id only`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        for _ in 0..<10 {
            setup.server.acknowledgementsToLose = 3
            setup.storeReadings(0..<5)
            setup.server.close("ble-gateway-attic")
            setup.time.advance(by: .seconds(120))
        }
        setup.time.advance(by: .seconds(120))

        let expected = Set((1...50).map { "s-\($0)" })
        #expect(Set(setup.ids) == expected)
        #expect(setup.ids.count > 50)
        #expect(setup.store.summary.count == 0)
        let texts = Dictionary(grouping: setup.subscriber.deliveries.map(\.text), by: messageId(of:))
        #expect(texts.values.allSatisfy { Set($0).count == 1 })
    }

    @Test func `Confirmed readings are not sent again after a quick reconnection`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.storeReadings(0..<3)
        setup.server.close("ble-gateway-attic")
        setup.time.advance(by: .seconds(3))
        setup.storeReadings(3..<4)
        #expect(setup.ids == ["s-1", "s-2", "s-3", "s-4"])
    }

    @Test func `A broker that stops confirming is connected again`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.isAcknowledging = false
        setup.storeReadings(0..<2)
        setup.time.advance(by: .seconds(20))
        setup.server.isAcknowledging = true
        setup.time.advance(by: .seconds(20))

        #expect(setup.notices.contains(.confirmationsMissing))
        #expect(setup.server.connectionCount == 2)
        #expect(setup.ids == ["s-1", "s-2", "s-1", "s-2"])
        #expect(setup.store.summary.count == 0)
    }

    @Test func `Messages are stored together and removed together`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        for number in 0..<100 { setup.storeReading(number) }
        setup.time.advance(by: .seconds(10))
        #expect(setup.store.transactionCount == 2)
        #expect(setup.ids.count == 100)
    }

    @Test func `An orderly end publishes offline and leaves nothing behind`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        #expect(setup.availability == "online")
        for number in 0..<5 { setup.storeReading(number) }
        var isFinished = false
        setup.delivery.stop { isFinished = true }
        #expect(!isFinished)
        setup.time.advance(by: .milliseconds(100))

        #expect(isFinished)
        #expect(setup.availability == "offline")
        #expect(setup.ids.count == 5)
        #expect(setup.store.summary.count == 0)
        #expect(setup.server.connectedClients.isEmpty)
    }

    @Test func `An orderly end does not wait longer than its limit`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.isAcknowledging = false
        setup.storeReading(1)
        var isFinished = false
        setup.delivery.stop(within: .seconds(2)) { isFinished = true }
        setup.time.advance(by: .milliseconds(1900))
        #expect(!isFinished)
        setup.time.advance(by: .milliseconds(200))
        #expect(isFinished)
        #expect(setup.store.summary.count == 1)
    }
}
