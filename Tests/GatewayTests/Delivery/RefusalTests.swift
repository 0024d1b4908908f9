import Gateway
import Testing

@Suite struct RefusalTests {
    private func refusal(
        _ kind: BrokerRefusal.Kind, _ topic: String, _ cause: String = "quota exceeded"
    ) -> BrokerRefusal {
        BrokerRefusal(kind, topic: topic, size: 100, cause: cause)
    }

    @Test func `Readings wait while the broker has no quota, and arrive in their order`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.refuseMessage = { [self] in refusal(.temporary, $0.topic) }
        setup.storeReadings(0..<300)
        #expect(setup.store.summary.count == 300)
        #expect(setup.ids.isEmpty)
        #expect(setup.noticeTexts.count == 2, "\(setup.noticeTexts)")
        #expect(setup.noticeTexts.last?.contains("to r/1 for now: quota exceeded; they wait") == true)
        // Attempts become rare.
        #expect(setup.delivery.summary.refusedForNow < 40, "\(setup.delivery.summary.refusedForNow)")
        setup.server.refuseMessage = nil
        setup.time.advance(by: .seconds(120))
        #expect(Set(setup.ids) == Set((1...300).map { "s-\($0)" }))
        #expect(setup.ids.count == 300)
        #expect(setup.store.summary.count == 0)
        #expect(setup.delivery.summary.rejected == 0)
    }

    @Test func `Refusals for now name the first topics of a connection, and count further ones`() {
        let setup = DeliverySetup()
        let lines = { setup.noticeTexts.filter { $0.hasPrefix("the broker refuse") } }
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.refuseMessage = { [self] in $0.topic.hasPrefix("d/") ? refusal(.temporary, $0.topic) : nil }
        for number in 1...30 { setup.delivery.publish(Publication("d/\(number)", "x")) }
        setup.time.advance(by: .seconds(2))
        #expect(lines().count == 16, "\(lines())")
        #expect(
            lines().last
                == "the broker refuses messages to d/16 for now: quota exceeded; they wait and are sent again, "
                + "check the quotas of the broker")
        setup.time.advance(by: .seconds(3600))
        #expect(lines().count == 17, "\(lines())")
        #expect(lines().last?.hasPrefix("the broker refused messages to 14 further topics, which") == true)
        // The next connection begins again.
        setup.server.close("ble-gateway-attic")
        setup.time.advance(by: .seconds(10))
        for number in 1...17 { setup.delivery.publish(Publication("d/\(number)", "x")) }
        setup.time.advance(by: .seconds(1))
        #expect(lines().count == 33, "\(lines())")
        setup.server.close("ble-gateway-attic")
        setup.time.advance(by: .seconds(1))
        #expect(lines().count == 34)
        #expect(lines().last?.contains("to 1 further topic, which") == true)
    }

    @Test func `A reading that is always refused for now does not block others`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.refuseMessage = { [self] in
            $0.text.contains("\"n\":5}") ? refusal(.temporary, $0.topic, "unspecified error") : nil
        }
        setup.storeReadings(0..<1000)
        setup.time.advance(by: .seconds(5))
        #expect(setup.ids.count == 999)
        #expect(setup.store.summary.count == 1)
        #expect(setup.delivery.summary.refusedForNow < 20)
        setup.server.refuseMessage = nil
        setup.time.advance(by: .seconds(310))
        #expect(setup.ids.last == "s-6")
        #expect(setup.store.summary.count == 0)
    }

    @Test func `A reading that the access rights deny is counted and does not block others`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.refuseMessage = { [self] in
            $0.text.contains("\"n\":5}") ? refusal(.accessDenied, $0.topic, "not authorized") : nil
        }
        setup.storeReadings(0..<10)
        setup.time.advance(by: .seconds(10))
        #expect(setup.ids.count == 9)
        #expect(setup.store.summary.count == 0)
        #expect(setup.delivery.summary.rejected == 1)
        #expect(
            setup.noticeTexts.last
                == "the broker refused a message to r/1, which is lost: not authorized; check the access rights in the broker"
        )
    }

    @Test(arguments: [BrokerRefusal.Kind.tooLarge(limit: 50), .closesConnection])
    func `A reading that is set aside stays in the store and is offered again rarely`(_ kind: BrokerRefusal.Kind) {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.refuseMessage = { [self] in
            $0.text.contains("\"n\":5}") ? refusal(kind, $0.topic, "too large") : nil
        }
        setup.storeReadings(0..<3600)
        setup.time.advance(by: .seconds(10))
        #expect(setup.ids.count == 3599)
        #expect(setup.store.summary.count == 1)
        #expect((5...7).contains(setup.delivery.summary.setAside), "\(setup.delivery.summary.setAside)")
        #expect(setup.noticeTexts.count == 2, "\(setup.noticeTexts)")
        #expect(setup.noticeTexts.last?.contains("to r/1") == true)
        setup.server.refuseMessage = nil
        setup.time.advance(by: .seconds(601))
        #expect(setup.store.summary.count == 0)
    }

    @Test(arguments: [BrokerRefusal.Kind.temporary, .tooLarge(limit: 50), .closesConnection])
    func `A refused reading in memory is sent again rarely, and blocks no others`(_ kind: BrokerRefusal.Kind) {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.server.refuseMessage = { [self] in $0.text.contains("\"n\":5}") ? refusal(kind, $0.topic) : nil }
        setup.storeReadings(0..<100)
        setup.time.advance(by: .seconds(10))
        #expect(setup.ids.count == 99)
        #expect(setup.delivery.summary.unstored == 1)
        let refused = setup.delivery.summary.refusedForNow + setup.delivery.summary.setAside
        #expect((1...10).contains(refused), "\(refused)")
        // The store works again, and keeps the reading.
        setup.store.failure = nil
        setup.storeReadings(100..<160)
        setup.time.advance(by: .seconds(10))
        #expect(setup.delivery.summary.unstored == 0)
        #expect(setup.store.summary.count == 1)
        setup.server.refuseMessage = nil
        setup.time.advance(by: .seconds(610))
        #expect(Set(setup.ids).count == 160)
        #expect(setup.store.summary.count == 0)
    }

    @Test func `Refused readings in memory are bounded, and sent again without the store`() {
        var settings = DeliverySettings()
        settings.maximumUnstoredBytes = 1000
        let setup = DeliverySetup(settings: settings)
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.server.refuseMessage = { [self] in $0.topic == "r/1" ? refusal(.tooLarge(limit: 9), $0.topic) : nil }
        setup.storeReadings(100..<300)
        #expect((1...30).contains(setup.delivery.summary.unstored), "\(setup.delivery.summary.unstored)")
        let dropped = setup.delivery.summary.droppedUnstored
        #expect(dropped + setup.delivery.summary.unstored == 200)
        setup.server.refuseMessage = nil
        setup.time.advance(by: .seconds(610))
        #expect(setup.ids.count == 200 - dropped)
        #expect(setup.delivery.summary.unstored == 0)
    }

    @Test func `On a lost connection, refused readings in memory keep their place`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.storeReadings(0..<1)
        setup.server.isAcknowledging = false
        setup.server.refuseMessage = { [self] in
            $0.text.contains("\"n\":2}") ? refusal(.tooLarge(limit: 9), $0.topic) : nil
        }
        setup.storeReadings(1..<3)
        #expect(setup.ids.count == 2)
        setup.server.isAcknowledging = true
        setup.server.refuseMessage = nil
        setup.server.close("ble-gateway-attic")
        setup.time.advance(by: .seconds(60))
        let later = setup.subscriber.deliveries.dropFirst(2).map { $0.text.suffix(6) }
        #expect(later == ["\"n\":1}", "\"n\":2}"])
    }

    @Test func `A message outside the store that is refused for now is sent again`() {
        let setup = DeliverySetup()
        var refused: [BrokerRefusal] = []
        setup.delivery.onRefused = { refused.append($0) }
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.refuseMessage = { [self] in refusal(.temporary, $0.topic) }
        setup.delivery.publish(Publication("d/1", "old", isRetained: true))
        setup.delivery.publish(Publication("d/1", "new", isRetained: true))
        setup.time.advance(by: .seconds(30))
        #expect(refused.allSatisfy { $0.topic == "d/1" && $0.kind == .temporary })
        #expect((3...5).contains(refused.count), "\(refused.count)")
        setup.server.refuseMessage = nil
        setup.time.advance(by: .seconds(60))
        #expect(setup.server.retained["d/1"]?.text == "new")
    }

    @Test func `A message outside the store that is too large is reported with its type`() {
        let setup = DeliverySetup()
        var refused: [BrokerRefusal] = []
        setup.delivery.onRefused = { refused.append($0) }
        setup.server.refuseMessage = { [self] in
            $0.topic == "d/1" ? refusal(.tooLarge(limit: 50), $0.topic, "the packet is too large") : nil
        }
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.delivery.publish(Publication("d/1", "large", isRetained: true))
        setup.time.advance(by: .seconds(100))
        #expect(refused.map(\.kind) == [.tooLarge(limit: 50)])
        #expect(setup.delivery.isConnected)
    }

    @Test func `An orderly end does not wait for refused readings`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.refuseMessage = { [self] in $0.topic == "r/1" ? refusal(.temporary, $0.topic) : nil }
        setup.storeReadings(0..<5)
        var isFinished = false
        setup.delivery.stop { isFinished = true }
        setup.time.advance(by: .milliseconds(100))
        #expect(isFinished)
        #expect(setup.store.summary.count == 5)
    }
}
