import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

@Suite struct GatewayRunTests {
    private let readings = "home/attic/BTtoMQTT/"

    /// The addresses of the showroom's devices with values, without colons.
    private var sensors: Set<String> {
        let recognised = ["Phone", "Find My tag", "Tracker", "Earphones", "Exposure Notification"]
        return Set(
            Scenario.showroom.peripherals.filter { !recognised.contains($0.name) }
                .map { $0.address.filter { $0 != ":" } })
    }

    @Test func `Each sensor of the showroom is published with an id and a time`() throws {
        let stage = GatewayStage()
        stage.run(for: .seconds(5))

        let published = stage.messages(readings)
        #expect(Set(published.map { String($0.topic.dropFirst(readings.count)) }) == sensors)
        for message in published {
            let json = try ParsedJSON(message.payload)
            #expect(json["mid"]?.string?.hasPrefix("s-") == true)
            #expect(json["time"]?.string?.hasSuffix("Z") == true)
        }
        let ids = try published.compactMap { try ParsedJSON($0.payload)["mid"]?.string }
        #expect(Set(ids).count == ids.count)
        #expect(stage.store.summary.count == 0 || stage.store.summary.count < 200)
    }

    @Test func `Phones and trackers are neither published nor remembered`() {
        let stage = GatewayStage()
        stage.run(for: .seconds(5))
        #expect(stage.gateway.pipeline.deviceCount == sensors.count)
        #expect(Set(stage.messages("home/attic/presence/").map { String($0.topic.suffix(12)) }) == sensors)
    }

    @Test func `The gateway is online until it stops, and then offline`() throws {
        let stage = GatewayStage()
        stage.run(for: .seconds(2))
        #expect(stage.server.retained["home/attic/LWT"]?.text == "online")
        #expect(try stage.retained("home/attic/status")?["version"]?.string == GatewayVersion.current)

        #expect(stage.stop())
        #expect(stage.server.retained["home/attic/LWT"]?.text == "offline")
        #expect(stage.server.connectedClients.isEmpty)
        #expect(stage.store.summary.count == 0)
        #expect(stage.simulation.recorder.count("StopDiscovery") == 1)
    }

    @Test func `Devices are announced to Home Assistant, and again when it starts`() throws {
        let stage = GatewayStage()
        stage.run(for: .seconds(5))
        let first = stage.messages("homeassistant/device/")
        #expect(Set(first.map(\.topic)).count > 20)
        #expect(first.allSatisfy { stage.server.retained[$0.topic] != nil })

        stage.messages.deliveries = []
        stage.server.publish(Publication("homeassistant/status", "online"))
        stage.time.advance(by: .seconds(1))
        #expect(Set(stage.messages("homeassistant/device/").map(\.topic)) == Set(first.map(\.topic)))
    }

    @Test func `The gateway is announced to Home Assistant with its adapters`() throws {
        let stage = GatewayStage()
        stage.run(for: .seconds(5))
        let message = try #require(try stage.retained("homeassistant/device/ble-gateway-attic/config"))
        #expect(HomeAssistantSchema.violations(message) == [])
        let names = message["components"]?.object?.values.compactMap { $0["name"]?.string } ?? []
        #expect(names.contains("hci0 advertisements") && names.contains("hci0 last recovery step"), "\(names)")
        #expect(try stage.retained("home/attic/status")?["adapters"]?.array?.first?["name"]?.string == "hci0")
    }

    @Test func `Readings of an outage are delivered after it, once each and in order`() throws {
        let stage = GatewayStage()
        stage.run(for: .seconds(5))
        stage.server.stop()
        stage.time.advance(by: .seconds(60))
        let waiting = stage.store.summary.count
        #expect(waiting > 100)
        stage.messages.deliveries = []
        stage.server.start()
        stage.time.advance(by: .seconds(70))

        #expect(stage.store.summary.count < 100)
        let ids = try stage.messages(readings).compactMap { try ParsedJSON($0.payload)["mid"]?.string }
        #expect(ids.count >= waiting / 2)
        #expect(Set(ids).count == ids.count)
        #expect(!stage.messages("homeassistant/device/").isEmpty)
    }

    @Test func `A device that leaves is reported as lost`() throws {
        let stage = GatewayStage()
        stage.run(for: .seconds(5))
        let address = try #require(Scenario.showroom.peripherals.first?.address)
        stage.simulation.bluez.setInRange(false, address)
        stage.time.advance(by: .seconds(70))
        let topic = "home/attic/presence/\(address.filter { $0 != ":" })"
        let last = try #require(stage.messages(topic).last)
        #expect(try ParsedJSON(last.payload)["state"]?.string == "lost")
    }

    @Test func `The filter decides which devices are published`() {
        let stage = GatewayStage { $0.filter.allowed = ["C0:5E:00:00:00:01"] }
        stage.run(for: .seconds(5))
        #expect(
            Set(stage.messages("home/attic/").map(\.topic).filter { $0.contains("/BTtoMQTT/") }) == [
                readings + "C05E00000001"
            ])
    }

    @Test func `The status has each adapter with its rate`() throws {
        let stage = GatewayStage()
        stage.run(for: .seconds(125))
        let adapters = try stage.retained("home/attic/status")?["adapters"]?.array
        #expect(adapters?.count == 1)
        #expect(adapters?.first?["name"]?.string == "hci0")
        #expect(adapters?.first?["state"]?.string == "receiving")
        guard case .number(let rate)? = adapters?.first?["advertisements_per_second"] else {
            Issue.record("there is no rate")
            return
        }
        #expect(rate > 20)
    }

    @Test func `The metrics count what was received and published`() {
        let stage = GatewayStage()
        stage.run(for: .seconds(10))
        let metrics = stage.gateway.metrics()
        #expect(metrics.contains("ble_gateway_broker_connected 1\n"))
        #expect(metrics.contains("ble_gateway_advertisements_total{adapter=\"hci0\"} "))
        #expect(metrics.contains("ble_gateway_drops_total{reason=\"store_full\"} 0\n"))
        #expect(metrics.contains("ble_gateway_recovery_steps_total{adapter=\"hci0\",step=\"restart-scan\"} 0\n"))
    }
}
