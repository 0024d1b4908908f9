import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Gateways that come and go, and starts of Home Assistant, must not flood the broker with discovery.
@Suite struct DiscoveryFloodTests {
    private func discoveries(_ stage: GatewayStage) -> Int { stage.messages("homeassistant/device/ble-").count }

    @Test func `A connection with a hundred gateways publishes each device once`() {
        let stage = GatewayStage(.showroom, name: "zz")
        for number in 0..<100 {
            stage.server.publish(Publication("home/gw\(number)/LWT", "online", isRetained: true))
            stage.server.publish(Publication("home/ble-gateways/gateways/gw\(number)", "1", isRetained: true))
        }
        stage.run(for: .seconds(60))
        let devices = Set(stage.messages("homeassistant/device/ble-").map(\.topic)).count
        let count = discoveries(stage)
        // When a device is new, and when the gateways are known.
        #expect(devices > 20 && count <= devices * 3, "\(count) messages of \(devices) devices")
        stage.server.close("ble-gateway-zz")
        stage.time.advance(by: .seconds(60))
        #expect(discoveries(stage) - count <= devices + 2, "\(discoveries(stage) - count)")
    }

    @Test func `Gateways and other clients that come and go change no discovery`() {
        let stage = GatewayStage(.showroom)
        stage.server.publish(Publication("home/ble-gateways/gateways/hall", "1", isRetained: true))
        stage.server.publish(Publication("home/hall/LWT", "online", isRetained: true))
        stage.run(for: .seconds(60))
        let count = discoveries(stage)
        for number in 0..<50 {
            stage.server.publish(Publication("home/hall/LWT", number % 2 == 0 ? "offline" : "online", isRetained: true))
            stage.server.publish(Publication("home/OpenMQTTGateway\(number)/LWT", "online", isRetained: true))
            stage.time.advance(by: .seconds(2))
        }
        #expect(discoveries(stage) == count)
        #expect(stage.messages("homeassistant/device/ble-").allSatisfy { !$0.text.contains("OpenMQTTGateway") })
        #expect(stage.messages("homeassistant/device/ble-").contains { $0.text.contains("home/hall/LWT") })
    }

    @Test func `Fifty starts of Home Assistant at once repeat the discovery twice`() {
        let stage = GatewayStage(.showroom)
        stage.run(for: .seconds(60))
        let devices = Set(stage.messages("homeassistant/device/ble-").map(\.topic)).count
        let count = discoveries(stage)
        let lines = stage.events.count
        for _ in 0..<50 { stage.server.publish(Publication("homeassistant/status", "online")) }
        stage.time.advance(by: .seconds(30))
        #expect(discoveries(stage) - count <= devices * 2 + 2, "\(discoveries(stage) - count) of \(devices)")
        #expect(stage.events[lines...].count { $0.description.contains("Home Assistant") } == 2)
    }

    @Test func `Home Assistant has the nearest gateway of a device`() throws {
        let stage = GatewayStage(.strap()) { $0.devices = [DeviceSettings("C0:FF:EE:00:00:02", [])] }
        stage.run(for: .seconds(60))
        let message = try #require(try stage.retained("homeassistant/device/ble-c0ffee000002/config"))
        let topic = try #require(message["components"]?["room"]?["state_topic"]?.string)
        #expect(stage.server.retained[topic]?.text == "attic")
        #expect(HomeAssistantSchema.violations(message) == [])
    }
}
