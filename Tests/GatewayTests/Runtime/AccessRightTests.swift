import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

@Suite struct AccessRightTests {
    private func warnings(of stage: GatewayStage) -> [String] {
        stage.events.filter { $0.level == .warning }.map(\.description)
    }

    private func stage(_ name: String = "attic", sharing other: GatewayStage? = nil) -> GatewayStage {
        GatewayStage(.strap(), name: name, sharing: other) {
            var device = DeviceSettings(address: .strap)
            device.jobs = [GATTJob(.notify, of: "2A37")]
            $0.devices = [device]
        }
    }

    @Test(arguments: [
        "home/attic/LWT", "home/ble-gateways/gateways/attic", "home/ble-gateways/devices/+/heard/attic",
        "home/ble-gateways/devices/+/owner", "home/ble-gateways/devices/+/room",
        "homeassistant/device/ble-gateway-attic/config", "home/attic/status/discovered",
    ])
    func `A topic that the broker does not deliver is named`(_ filter: String) throws {
        let stage = stage()
        let denied = try #require(TopicFilter(filter))
        stage.server.deniesReading = { denied.matches($0) }
        stage.run(for: .seconds(60))
        #expect(
            warnings(of: stage) == [
                "the broker does not deliver \(filter), although the gateway subscribes to it; check the access rights "
                    + "to read it in the broker"
            ])
    }

    @Test func `A broker that denies nothing makes no warning`() {
        let stage = stage()
        let other = self.stage("cellar", sharing: stage)
        other.gateway.start()
        stage.run(for: .seconds(120))
        #expect(warnings(of: stage) == [])
        #expect(warnings(of: other) == [])
    }

    @Test func `A broker without retained messages is in the status, and discovery continues`() throws {
        let stage = stage()
        stage.server.keepsRetained = false
        stage.run(for: .seconds(130))
        #expect(warnings(of: stage).filter { $0.contains("allow retained messages in the broker") }.count == 1)
        #expect(try stage.json("home/attic/status").last?["broker"]?["retained"] == .bool(false))
        #expect(!stage.messages("homeassistant/device/").isEmpty)
    }

    @Test func `A refused status is named`() {
        let stage = stage()
        stage.server.refuseMessage = {
            $0.topic == "home/attic/status"
                ? BrokerRefusal(.accessDenied, topic: $0.topic, cause: "not authorized") : nil
        }
        stage.run(for: .seconds(200))
        #expect(stage.broker.isConnected)
        #expect(warnings(of: stage).count == 1)
        #expect(warnings(of: stage).first?.contains("a message to home/attic/status, which is lost") == true)
    }

    @Test func `An unreadable availability of another gateway is named`() {
        let stage = stage()
        let other = self.stage("cellar", sharing: stage)
        stage.server.deniesReading = { $0 == "home/cellar/LWT" }
        stage.gateway.start()
        other.run(for: .seconds(60))
        #expect(
            warnings(of: stage) == [
                "the gateway cellar has announced itself, but its availability does not arrive; check the access rights "
                    + "to read home/+/LWT in the broker, or remove the retained message of "
                    + "home/ble-gateways/gateways/cellar if that gateway does not exist"
            ])
    }
}
