import RxBluetoothMocks
import Testing

@testable import Gateway

/// Brokers that do not accept messages of the size of a discovery with many entities.
@Suite struct DiscoverySizeTests {
    private let limit = 1_500

    /// - Parameter isNamed: Whether the broker names its limit.
    private func stage(isNamed: Bool) -> GatewayStage {
        let stage = GatewayStage(.showroom)
        let limit = limit
        stage.server.refuseMessage = { message in
            guard message.size > limit else { return nil }
            return BrokerRefusal(
                .tooLarge(limit: isNamed ? limit : nil), topic: message.topic, size: message.size, cause: "too large")
        }
        return stage
    }

    @Test(arguments: [true, false]) func `A discovery that is too large omits entities`(isNamed: Bool) throws {
        let ordinary = GatewayStage(.showroom)
        ordinary.run(for: .seconds(60))
        let prefix = "homeassistant/device/ble-"
        let large = ordinary.server.retained.values.filter { $0.topic.hasPrefix(prefix) && $0.size > limit }
        #expect(!large.isEmpty)

        let stage = stage(isNamed: isNamed)
        stage.run(for: .seconds(60))
        for message in large {
            let short = try #require(try stage.retained(message.topic), "\(message.topic)")
            let kept = short["components"]?.object?.count ?? 0
            let complete = try ParsedJSON(message.payload)["components"]?.object?.count ?? 0
            #expect(kept > 0 && kept < complete)
            #expect(short["device"]?["identifiers"] != nil)
        }
        #expect(stage.server.retained.values.allSatisfy { !$0.topic.hasPrefix(prefix) || $0.size <= limit })
        // The gateway does not repeat what is refused.
        #expect(stage.events.count { $0.description.contains("too large") } <= large.count + 2)
    }

    @Test func `After a connection to a broker without the limit, all entities are discovered`() throws {
        let stage = stage(isNamed: true)
        stage.run(for: .seconds(60))
        stage.server.refuseMessage = nil
        stage.server.close("ble-gateway-attic")
        stage.time.advance(by: .seconds(60))
        #expect(stage.server.retained.values.contains { $0.topic.hasPrefix("homeassistant/") && $0.size > limit })
    }
}
