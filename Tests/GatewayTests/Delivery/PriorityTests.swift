import Testing

@testable import Gateway

/// Messages of low priority must not delay or displace others.
@Suite struct PriorityTests {
    private func store(_ setup: DeliverySetup, _ numbers: Range<Int>, _ priority: Publication.Priority) {
        for number in numbers {
            var publication = Publication("r/\(priority)", #"{"n":\#(number)}"#)
            publication.priority = priority
            setup.delivery.store(publication)
        }
    }

    private func topics(_ setup: DeliverySetup) -> [String] { setup.subscriber.deliveries.map(\.topic) }

    private func numbers(_ setup: DeliverySetup, _ priority: Publication.Priority) -> [Int] {
        setup.subscriber.deliveries.filter { $0.topic == "r/\(priority)" }.compactMap { delivery in
            guard case .number(let number)? = (try? ParsedJSON(delivery.payload))?["n"] else { return nil }
            return Int(number)
        }
    }

    @Test func `Messages of normal priority are sent before a backlog of others`() {
        let setup = DeliverySetup()
        store(setup, 0..<3_000, .low)
        store(setup, 0..<200, .normal)
        setup.time.advance(by: .seconds(1))
        setup.delivery.start()
        setup.time.advance(by: .seconds(10))
        #expect(topics(setup).prefix(200).allSatisfy { $0 == "r/normal" })
        #expect(numbers(setup, .normal) == Array(0..<200) && numbers(setup, .low) == Array(0..<3_000))
        #expect(setup.store.summary.count == 0)
    }

    @Test func `New messages of normal priority do not wait for a backlog that is being sent`() {
        var settings = DeliverySettings()
        settings.messagesPerSecond = 200
        let setup = DeliverySetup(settings: settings)
        store(setup, 0..<8_000, .low)
        setup.delivery.start()
        for second in 0..<20 {
            setup.time.advance(by: .seconds(1))
            store(setup, second..<second + 1, .normal)
            setup.time.advance(by: .milliseconds(500))
            #expect(numbers(setup, .normal).last == second)
        }
        #expect(numbers(setup, .low).count < 8_000)
        setup.time.advance(by: .seconds(30))
        #expect(numbers(setup, .low) == Array(0..<8_000))
    }

    @Test func `Some places in flight are kept for normal priority`() {
        let setup = DeliverySetup()
        setup.server.isAcknowledging = false
        store(setup, 0..<100, .low)
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        #expect(setup.delivery.summary.inFlight == 15)
        store(setup, 0..<100, .normal)
        setup.time.advance(by: .seconds(1))
        #expect(numbers(setup, .normal) == Array(0..<5) && numbers(setup, .low) == Array(0..<15))
    }

    @Test func `Ids stay unique and all messages arrive if the connection ends again and again`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        for round in 0..<30 {
            store(setup, round * 40..<round * 40 + 40, round % 2 == 0 ? .low : .normal)
            setup.time.advance(by: .milliseconds(round * 7 % 300))
            setup.server.close("ble-gateway-attic")
            setup.time.advance(by: .seconds(2))
        }
        setup.time.advance(by: .seconds(60))
        #expect(Set(numbers(setup, .low)).union(numbers(setup, .normal)) == Set(0..<1_200))
        let texts = Dictionary(grouping: setup.subscriber.deliveries, by: { messageId(of: $0.text) })
        #expect(texts.values.allSatisfy { Set($0.map(\.text)).count == 1 } && texts.count == 1_200)
    }

    @Test func `A full store removes messages of low priority first`() {
        let setup = DeliverySetup(maximumBytes: 2_000)
        store(setup, 100..<150, .normal)
        store(setup, 100..<500, .low)
        setup.time.advance(by: .seconds(1))
        store(setup, 150..<200, .normal)
        setup.time.advance(by: .seconds(1))
        let summary = setup.delivery.summary.store
        #expect(summary.droppedLow == summary.dropped && summary.bytes <= 2_000, "\(summary)")
        setup.delivery.start()
        setup.time.advance(by: .seconds(5))
        #expect(numbers(setup, .normal) == Array(100..<200))
        #expect(numbers(setup, .low).last == 499)
    }

    @Test func `While the disk fails, memory drops messages of low priority first`() {
        var settings = DeliverySettings()
        settings.maximumUnstoredBytes = 1_500
        let setup = DeliverySetup(settings: settings)
        setup.store.failure = StoreFailure(.inaccessible, "input/output error")
        store(setup, 100..<150, .normal)
        store(setup, 100..<500, .low)
        #expect(setup.delivery.summary.unstored < 120 && setup.delivery.summary.droppedUnstored > 300)
        setup.delivery.start()
        setup.time.advance(by: .seconds(60))
        #expect(numbers(setup, .normal) == Array(100..<150))
        #expect(numbers(setup, .low).last == 499)
    }

    @Test func `Refused messages of low priority in memory do not displace others`() {
        var settings = DeliverySettings()
        settings.maximumUnstoredBytes = 1_000
        settings.messagesInFlight = 1
        let setup = DeliverySetup(settings: settings)
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.server.refuseMessage = {
            guard $0.topic == "r/low" else { return nil }
            return BrokerRefusal(.tooLarge(limit: 9), topic: $0.topic, size: 100, cause: "too large")
        }
        store(setup, 0..<30, .low)
        setup.time.advance(by: .seconds(5))
        #expect((5..<30).contains(setup.delivery.summary.unstored))
        // One message is in flight, and the others wait.
        setup.server.isAcknowledging = false
        store(setup, 0..<50, .normal)
        setup.time.advance(by: .seconds(2))
        setup.server.isAcknowledging = true
        setup.server.close("ble-gateway-attic")
        setup.time.advance(by: .seconds(60))
        #expect(Set(numbers(setup, .normal)) == Set(0..<50))
    }
}
