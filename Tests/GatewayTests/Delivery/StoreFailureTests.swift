import Gateway
import Testing

@Suite struct StoreFailureTests {
    /// The numbers of the readings that arrived, in their order.
    private func numbers(_ setup: DeliverySetup) -> [Int] {
        setup.subscriber.deliveries.compactMap { Int($0.text.split(separator: "\"n\":").last?.dropLast() ?? "") }
    }

    @Test func `A full disk is reported once, and readings are sent from memory meanwhile`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.storeReadings(0..<5)
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.storeReadings(5..<605)
        #expect(numbers(setup) == Array(0..<604) || numbers(setup) == Array(0..<605))
        #expect(setup.delivery.summary.unstored <= 1)
        #expect(setup.delivery.summary.storeFailure?.kind == .full)
        setup.store.failure = nil
        setup.storeReadings(605..<680)
        setup.time.advance(by: .seconds(10))

        #expect(numbers(setup) == Array(0..<680))
        #expect(Set(setup.ids).count == 680)
        #expect(setup.store.summary.count == 0)
        #expect(
            setup.noticeTexts == [
                "connected to the broker",
                "the disk is full; until it works again, readings are sent from memory",
                "readings are stored again, none was lost",
            ])
        #expect(setup.delivery.summary.storeFailure == nil)
        #expect(setup.ids.last?.hasPrefix("s-") == true && setup.ids.last?.split(separator: "-").count == 2)
    }

    @Test func `Readings sent from memory arrive within seconds`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.storeReadings(0..<200)
        let times = setup.subscriber.deliveries.map(\.time)
        #expect(times.count >= 199)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= .seconds(3) })
    }

    @Test func `Readings sent from memory keep their ids after lost confirmations`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.storeReadings(0..<5)
        setup.server.isAcknowledging = false
        setup.storeReadings(5..<8)
        setup.server.close("ble-gateway-attic")
        setup.time.advance(by: .milliseconds(10))
        setup.server.isAcknowledging = true
        setup.store.failure = nil
        setup.time.advance(by: .seconds(120))

        #expect(Set(numbers(setup)) == Set(0..<8))
        #expect(numbers(setup).count == 11, "\(numbers(setup))")
        #expect(Set(setup.ids).count == 8, "\(setup.ids)")
        #expect(setup.store.summary.count == 0 && setup.delivery.summary.unstored == 0)
    }

    @Test func `The backlog of the store is sent before readings in memory`() {
        let setup = DeliverySetup()
        setup.storeReadings(0..<100)
        setup.store.appendFailure = StoreFailure(.full, "the disk is full")
        setup.storeReadings(100..<120)
        setup.delivery.start()
        setup.time.advance(by: .seconds(60))
        #expect(numbers(setup) == Array(0..<120))
        // Removals make room.
        #expect(setup.store.summary.count == 0)
        setup.store.appendFailure = nil
        setup.storeReadings(120..<180)
        setup.time.advance(by: .seconds(10))
        #expect(numbers(setup) == Array(0..<180))
        #expect(setup.store.summary.count == 0)
    }

    @Test func `An orderly end sends what cannot be stored`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.store.failure = StoreFailure(.full, "the disk is full")
        for number in 0..<100 { setup.storeReading(number) }
        var isFinished = false
        setup.delivery.stop { isFinished = true }
        setup.time.advance(by: .seconds(2))
        #expect(isFinished)
        #expect(numbers(setup) == Array(0..<100))
        #expect(setup.delivery.summary.unstored == 0)
    }

    @Test func `Memory is bounded while disk and broker fail, and losses are counted`() {
        var settings = DeliverySettings()
        settings.maximumUnstoredBytes = 1000
        let setup = DeliverySetup(settings: settings)
        setup.delivery.start()
        setup.server.stop()
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.storeReadings(100..<300)
        #expect(setup.delivery.summary.unstored < 100)
        setup.store.failure = nil
        setup.server.start()
        setup.time.advance(by: .seconds(120))

        let dropped = setup.delivery.summary.droppedUnstored
        #expect(dropped + setup.ids.count == 200)
        #expect(setup.subscriber.deliveries.last?.text.contains("299") == true)
        #expect(setup.noticeTexts.contains("readings are stored again; \(dropped) were lost since the start"))
    }

    @Test func `A store that cannot be read is tried again also without new readings`() {
        let setup = DeliverySetup()
        setup.storeReadings(0..<3)
        setup.store.failure = StoreFailure(.inaccessible, "input/output error")
        setup.delivery.start()
        setup.time.advance(by: .seconds(100))
        #expect(setup.ids.isEmpty)
        setup.store.failure = nil
        setup.time.advance(by: .seconds(40))
        #expect(setup.ids == ["s-1", "s-2", "s-3"])
    }

    @Test func `A store that failed while disconnected still accepts readings later`() {
        let setup = DeliverySetup()
        setup.storeReadings(0..<3)
        setup.delivery.start()
        setup.store.failure = StoreFailure(.inaccessible, "input/output error")
        setup.time.advance(by: .seconds(1))
        setup.server.stop()
        setup.store.failure = nil
        setup.time.advance(by: .seconds(100))
        setup.storeReadings(3..<50)
        setup.server.start()
        setup.time.advance(by: .seconds(100))
        #expect(Set(setup.ids).count == 50)
    }

    @Test func `Confirmed readings are removed from a full disk without a broker too`() {
        let setup = DeliverySetup()
        setup.delivery.start()
        setup.storeReadings(0..<10)
        setup.store.appendFailure = StoreFailure(.full, "the disk is full")
        setup.server.stop()
        setup.storeReadings(10..<20)
        #expect(setup.store.summary.count == 0)
        #expect(setup.delivery.summary.unstored == 10)
    }

    @Test func `The memory stays bounded after messages were sent from it`() {
        var settings = DeliverySettings()
        settings.maximumUnstoredBytes = 1000
        let setup = DeliverySetup(settings: settings)
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.store.failure = StoreFailure(.full, "the disk is full")
        setup.storeReadings(100..<400)
        #expect(setup.delivery.summary.droppedUnstored == 0)
        setup.server.isAcknowledging = false
        setup.storeReadings(400..<420)
        setup.server.stop()
        setup.time.advance(by: .seconds(1))
        #expect(setup.delivery.summary.unstored == 20)
        setup.storeReadings(420..<999)
        #expect(setup.delivery.summary.unstored <= 1000 / #"r/1{"n":100}"#.utf8.count)
    }

    @Test(arguments: 1...30)
    func `No reading is lost and no id is ambiguous while everything fails at times`(seed: Int) {
        var random = Seeded(state: UInt64(seed))
        let setup = DeliverySetup()
        setup.delivery.start()
        let full = StoreFailure(.full, "the disk is full")
        for number in 0..<400 {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: setup.store.appendFailure = full
            case 1: setup.store.failure = full
            case 2, 3: (setup.store.failure, setup.store.appendFailure) = (nil, nil)
            case 4: setup.server.close("ble-gateway-attic")
            case 5: setup.server.stop()
            case 6, 7: setup.server.start()
            case 8: setup.server.isAcknowledging = false
            case 9, 10: setup.server.isAcknowledging = true
            default: break
            }
            setup.storeReading(number)
            setup.time.advance(by: .milliseconds(Int.random(in: 0...3000, using: &random)))
        }
        (setup.store.failure, setup.store.appendFailure) = (nil, nil)
        setup.server.start()
        setup.server.isAcknowledging = true
        setup.time.advance(by: .seconds(300))
        setup.storeReading(400)
        setup.time.advance(by: .seconds(300))

        #expect(Set(numbers(setup)) == Set(0...400))
        let texts = Dictionary(grouping: setup.subscriber.deliveries.map(\.text), by: messageId(of:))
        #expect(texts.values.allSatisfy { Set($0).count == 1 } && texts["none"] == nil)
        // A receiver that drops known ids gets each reading once.
        #expect(texts.count == 401)
        #expect(setup.store.summary.count == 0 && setup.delivery.summary.unstored == 0)
        #expect(setup.delivery.summary.storeFailure == nil && setup.delivery.summary.droppedUnstored == 0)
    }
}
