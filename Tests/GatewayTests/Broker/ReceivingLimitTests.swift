import Testing

@testable import Gateway

@Suite struct ReceivingLimitTests {
    private let message = ReceivedMessage(topic: "home/hall/LWT", payload: Array("online".utf8), isRetained: true)

    @Test func `The number of ignored messages is in the text`() {
        let texts = [1, 2].map { DeliveryNotice.receivedIgnored(count: $0, cause: "they are too many").description }
        #expect(
            texts == [
                "1 received message was ignored: they are too many",
                "2 received messages were ignored: they are too many",
            ])
    }

    @Test func `A flood of other messages does not displace those of sharing`() {
        let setup = DeliverySetup()
        let sharing = DeviceSharing(gateway: "attic", devices: [], now: .zero)
        setup.delivery.isShared = sharing.isShared
        setup.delivery.subscribe(to: ["#"])
        setup.delivery.start()
        setup.time.advance(by: .seconds(1))
        for number in 0..<1000 {
            setup.server.publish(Publication("home/attic/commands/1", "x"))
            setup.server.publish(Publication("home/gateway\(number)/LWT", "online"))
            setup.server.publish(Publication("home/ble-gateways/devices/C0FFEE000001/heard/gateway\(number)", "{}"))
        }
        setup.time.advance(by: .seconds(1))
        #expect(setup.received.count { $0.topic.hasPrefix("home/attic/commands/") } <= 220)
        #expect(setup.received.count { $0.topic.hasPrefix("home/gateway") } == 1000)
        #expect(setup.received.count { $0.topic.hasPrefix("home/ble-gateways/") } == 1000)
    }

    private func count(_ count: Int, _ limit: inout ReceivingLimit, at now: Duration) -> Int {
        (0..<count).count { _ in limit.check(message, at: now) == .accepted }
    }

    @Test func `The retained messages of a hundred gateways are accepted at once`() {
        var limit = ReceivingLimit.sharing
        // The availability of each, and the reports of 20 gateways about 500 devices.
        #expect(count(100 + 20 * 500, &limit, at: .seconds(1)) == 10_100)
    }

    @Test func `After a burst, messages are accepted at the average rate`() {
        var limit = ReceivingLimit()
        limit.burst = 50
        limit.messagesPerSecond = 10
        #expect(count(1000, &limit, at: .seconds(1)) == 50)
        #expect(count(1000, &limit, at: .seconds(2)) == 10)
        #expect(count(1000, &limit, at: .seconds(3600)) == 50)
    }

    @Test func `Ignored messages are reported once a minute with their number`() {
        var limit = ReceivingLimit()
        limit.burst = 1
        limit.messagesPerSecond = 1
        let cause = "more than 1 messages a second after 1 at once"
        #expect(count(1, &limit, at: .zero) == 1)
        #expect(limit.check(message, at: .zero) == .ignored(.receivedIgnored(count: 1, cause: cause)))
        #expect(limit.check(message, at: .zero) == .ignored(nil))
        #expect(count(1, &limit, at: .seconds(60)) == 1)
        #expect(limit.check(message, at: .seconds(60)) == .ignored(.receivedIgnored(count: 2, cause: cause)))
    }
}
