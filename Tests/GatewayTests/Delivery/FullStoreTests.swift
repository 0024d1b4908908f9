import Gateway
import Testing

/// A store that has reached its size while the broker accepts nothing.
@Suite struct FullStoreTests {
    private let overflow =
        "the store is full: the oldest readings are lost until the broker accepts the others; "
        + "“store.maximum-size” sets its size"

    private func end(_ count: Int) -> String {
        "the readings of the full store were sent; \(count) older ones were lost"
    }

    private func problems(_ setup: DeliverySetup) -> [String] {
        setup.noticeTexts.filter { $0.contains("store") }
    }

    @Test func `A full store drops the oldest readings and the newest arrive`() {
        let setup = DeliverySetup(maximumBytes: 100)
        setup.storeReadings(10..<50)
        setup.delivery.start()
        setup.time.advance(by: .seconds(5))
        #expect(setup.store.summary.dropped == 31)
        #expect(setup.ids.count == 9)
        #expect(setup.ids.last == "s-40")
        #expect(problems(setup) == [overflow, end(31)])
    }

    @Test func `Each outage has one line at its first loss, and one with the number of losses`() {
        let setup = DeliverySetup(maximumBytes: 100)
        setup.delivery.start()
        for first in [10, 50] {
            setup.storeReadings(first..<(first + 5))
            setup.server.stop()
            setup.storeReadings((first + 5)..<(first + 14))
            #expect(problems(setup).last != overflow)
            setup.storeReadings((first + 14)..<(first + 40))
            #expect(problems(setup).last == overflow)
            setup.server.start()
            setup.time.advance(by: .seconds(120))
        }
        #expect(problems(setup) == [overflow, end(26), overflow, end(26)])
        #expect(setup.store.summary.dropped == 52)
    }

    @Test func `Readings that the broker does not confirm end no outage`() {
        let setup = DeliverySetup(maximumBytes: 100)
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        setup.server.isAcknowledging = false
        setup.storeReadings(10..<90)
        #expect(problems(setup) == [overflow])
        setup.server.isAcknowledging = true
        setup.time.advance(by: .seconds(120))
        #expect(problems(setup) == [overflow, end(setup.store.summary.dropped)])
    }

    @Test func `Nothing is reported while the store has room`() {
        let setup = DeliverySetup(maximumBytes: 100)
        setup.delivery.start()
        setup.server.stop()
        setup.storeReadings(10..<19)
        setup.server.start()
        setup.time.advance(by: .seconds(120))
        setup.storeReadings(20..<90)
        #expect(problems(setup).isEmpty)
    }
}
