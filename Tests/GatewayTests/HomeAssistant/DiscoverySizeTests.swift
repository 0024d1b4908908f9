import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Brokers that do not accept messages of the size of a discovery with many entities.
@Suite struct DiscoverySizeTests {
    private let limit = 1_500

    /// - Parameters:
    ///   - isNamed: Whether the broker names its limit.
    ///   - retryDelay: After how long the limit expires if it was learned.
    private func stage(isNamed: Bool, retryDelay: Duration? = nil) -> GatewayStage {
        let stage = GatewayStage(.showroom)
        let limit = limit
        stage.server.refuseMessage = { message in
            guard message.size > limit else { return nil }
            var refusal = BrokerRefusal(
                .tooLarge(limit: isNamed ? limit : nil), topic: message.topic, size: message.size, cause: "too large")
            refusal.retryDelay = retryDelay
            return refusal
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

    @Test func `When a learned limit expires, all entities are discovered again`() throws {
        let stage = stage(isNamed: true, retryDelay: .seconds(600))
        stage.run(for: .seconds(60))
        stage.server.refuseMessage = nil
        func hasLarge() -> Bool {
            stage.server.retained.values.contains { $0.topic.hasPrefix("homeassistant/device/ble-") && $0.size > limit }
        }
        stage.time.advance(by: .seconds(500))
        #expect(!hasLarge())
        stage.time.advance(by: .seconds(200))
        #expect(hasLarge())
    }

    /// Publishes the discovery of a device. Returns the sizes that the broker has accepted, and its connections.
    private func publish(maximumBody: Int) throws -> (sizes: [Int], connections: Int) {
        let time = VirtualLoop()
        var configuration = GatewayConfiguration()
        configuration.name = "attic"
        configuration.broker.version = .v311
        let client = Gateway.client(of: configuration)
        let broker = ScriptedBroker(client, loop: time.loop)
        broker.maximumBody = maximumBody
        let delivery = MessageDelivery(
            broker: broker, client: client, availability: "home/attic/LWT", store: SimulatedStore(identity: "s"),
            seed: 1, loop: time.loop)
        let publisher = try #require(DiscoveryPublisher(configuration, delivery: delivery, loop: time.loop))
        delivery.onConnectionChange = { [unowned publisher] isConnected in if isConnected { publisher.connected() } }
        delivery.onRefused = { [unowned publisher] in publisher.refused($0) }
        var reading = SensorReading(format: .bthome, model: "LYWSD03MMC")
        reading.measurements = [
            SensorMeasurement(.temperature, 21.5, .celsius), SensorMeasurement(.humidity, 40, .percent),
        ]
        publisher.add(MessageDevice(address: "A4:C1:38:00:00:01", name: "Kitchen"), reading)
        delivery.start()
        for _ in 0..<15 {
            time.advance(by: .seconds(60))
            publisher.expire()
        }
        let messages = broker.allConfirmed.filter { $0.topic.hasPrefix("homeassistant/device/ble-a4c138000001/") }
        return (messages.map(\.size), broker.connectionCount)
    }

    /// Its only answer to a large packet is to close the connection.
    @Test func `A broker of MQTT 3 gets a discovery with fewer entities after three closures`() throws {
        let complete = try publish(maximumBody: .max)
        let size = try #require(complete.sizes.max())
        #expect(size > 512 && complete.connections == 1)
        let short = try publish(maximumBody: size)
        #expect(!short.sizes.isEmpty && short.sizes.allSatisfy { $0 < size })
        #expect(short.connections == 4)
    }
}
