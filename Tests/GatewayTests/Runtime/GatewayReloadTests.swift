import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// A gateway whose configuration changes while it runs.
@Suite struct GatewayReloadTests {
    private let heartRate = GATTJob(.notify, of: "2A37")
    private let strap = "home/attic/connection/C0FFEE000001"
    private let ruuvi: BluetoothAddress = "C0:FF:EE:00:00:02"

    private func stage(pulses: Range<Int> = 30..<90) -> GatewayStage {
        let script = pulses.map { second in
            at(.seconds(second)) { $0.notify([0, UInt8(second)], from: "C0:FF:EE:00:00:01", "2a37") }
        }
        return GatewayStage(.strap(script: script)) { $0.devices = [DeviceSettings(.strap, [heartRate])] }
    }

    private func reload(_ stage: GatewayStage, _ change: (inout GatewayConfiguration) -> Void) {
        var configuration = stage.gateway.configuration
        change(&configuration)
        stage.gateway.reload(configuration)
    }

    private func states(_ stage: GatewayStage) throws -> [String] {
        try stage.json(strap).compactMap { $0["state"]?.string }
    }

    private func ids(_ messages: [SimulatedSubscriber.Delivery]) -> Set<String> {
        Set(messages.map { messageId(of: $0.text) })
    }

    @Test func `A link and its notifications survive a change of other settings`() throws {
        let stage = stage()
        stage.run(for: .seconds(45))
        reload(stage) {
            $0.devices[0].name = "Chest"
            $0.devices.append(DeviceSettings(address: ruuvi))
            $0.publishing.presenceTimeout = .seconds(90)
        }
        stage.time.advance(by: .seconds(60))
        #expect(try states(stage) == ["connecting", "connected"])
        let values = try stage.json(strap).compactMap { $0["hex"]?.string }
        #expect(values == (30..<90).map { HexDigits.text([0, UInt8($0)]) })
        #expect(try stage.json(strap).last?["name"]?.string == "Chest")
        #expect(stage.events.contains { $0.description == "the configuration was read again" })
        let message = try stage.retained("homeassistant/device/ble-c0ffee000001/config")
        #expect(message?["device"]?["name"]?.string == "Chest")
    }

    @Test func `A removed device loses its link, its commands and its discovery`() throws {
        let stage = stage()
        stage.run(for: .seconds(45))
        reload(stage) {
            $0.devices = []
            $0.otherDevices.arePublished = false
        }
        stage.time.advance(by: .seconds(20))
        #expect(try states(stage) == ["connecting", "connected", "disconnected"])
        #expect(stage.gateway.metrics().contains("ble_gateway_links 0\n"))
        #expect(stage.server.retained["homeassistant/device/ble-c0ffee000001/config"] == nil)
        #expect(try stage.json("home/attic/presence/C0FFEE000001").last?["state"]?.string == "lost")
        stage.command(#"{"id":"1","steps":[{"read":"2A38"}]}"#)
        stage.time.advance(by: .seconds(5))
        #expect(try stage.results().last?["error"]?["kind"]?.string == "unknown-device")
    }

    @Test func `An added device gets its jobs, and executes commands`() throws {
        let stage = GatewayStage(.strap())
        stage.run(for: .seconds(10))
        #expect(try states(stage).isEmpty)
        reload(stage) { $0.devices = [DeviceSettings(.strap, [GATTJob(.read(every: .seconds(10)), of: "2A19")])] }
        stage.time.advance(by: .seconds(30))
        #expect(try stage.json(strap).contains { $0["hex"]?.string == "57" })
        stage.command(#"{"id":"1","steps":[{"read":"2A38"}]}"#)
        stage.time.advance(by: .seconds(10))
        #expect(try stage.results().count == 1 && stage.results()[0]["ok"] == .bool(true))
    }

    @Test func `After a change of the topics, commands to the old one do not run`() throws {
        let stage = stage()
        stage.run(for: .seconds(10))
        reload(stage) { $0.topics.command = "home/{gateway}/orders/{mac}" }
        stage.time.advance(by: .seconds(5))
        stage.command(#"{"id":"1","steps":[{"read":"2A38"}]}"#)
        stage.time.advance(by: .seconds(10))
        #expect(try stage.results().isEmpty)
        #expect(stage.simulation.bluez.recorder.count("ReadValue") == 0)
        stage.server.publish(Publication("home/attic/orders/C0FFEE000001", #"{"id":"2","steps":[{"read":"2A38"}]}"#))
        stage.time.advance(by: .seconds(10))
        #expect(try stage.results().map { $0["id"] } == [.string("2")])
    }

    @Test func `Changed jobs begin on the link that exists`() throws {
        let stage = stage()
        stage.run(for: .seconds(45))
        reload(stage) { $0.devices[0].jobs.append(GATTJob(.read(every: .seconds(5)), of: "2A19")) }
        stage.time.advance(by: .seconds(30))
        #expect(try states(stage) == ["connecting", "connected"])
        #expect(try stage.json(strap).count { $0["characteristic"]?.string == "2A19" } >= 4)
    }

    @Test func `Readings go to the new topic, and none is lost`() throws {
        let stage = GatewayStage(.strap()) { $0.publishing.maximumInterval = .seconds(1) }
        stage.run(for: .seconds(20))
        reload(stage) {
            $0.topics.reading = "sensors/{gateway}/{mac}"
            $0.topics.status = "sensors/{gateway}/state"
        }
        stage.time.advance(by: .seconds(20))
        let (old, new) = (stage.messages("home/attic/BTtoMQTT/"), stage.messages("sensors/attic/C0FFEE"))
        #expect((15...21).contains(old.count) && (15...21).contains(new.count))
        #expect(ids(old + new).count == old.count + new.count && old.count + new.count >= 37)
        #expect(stage.server.retained["home/attic/status"] == nil)
        #expect(try stage.retained("sensors/attic/state")?["gateway"]?.string == "attic")
        let message = try stage.retained("homeassistant/device/ble-c0ffee000002/config")
        #expect(message?["state_topic"]?.string == "sensors/+/C0FFEE000002")
    }

    @Test func `After a change of its topic or name, a device publishes its next reading`() throws {
        let stage = GatewayStage(.strap()) { $0.devices = [DeviceSettings(address: ruuvi)] }
        stage.run(for: .seconds(20))
        let topic = stage.gateway.configuration.topics.reading
        for (index, text) in ["sensors/{mac}", topic, "sensors/{mac}"].enumerated() {
            let prefix = text == topic ? "home/attic/BTtoMQTT/" : "sensors/"
            let before = stage.messages(prefix + "C0FFEE000002").count
            reload(stage) { $0.topics.reading = text }
            stage.time.advance(by: .seconds(5))
            #expect(stage.messages(prefix + "C0FFEE000002").count == before + 1, "\(index)")
        }
        reload(stage) { $0.devices[0].name = "Attic window" }
        stage.time.advance(by: .seconds(5))
        #expect(try stage.json("sensors/C0FFEE000002").last?["name"]?.string == "Attic window")
    }

    @Test func `A device stays in range when the configuration describes it`() throws {
        let stage = GatewayStage(.strap())
        stage.run(for: .seconds(20))
        reload(stage) { $0.devices = [DeviceSettings(address: ruuvi)] }
        stage.time.advance(by: .seconds(20))
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:02")
        stage.time.advance(by: .seconds(90))
        let states = try stage.json("home/attic/presence/C0FFEE000002").compactMap { $0["state"]?.string }
        #expect(states.first == "found" && states.last == "lost")
        #expect(states.count { $0 == "found" } == 1 && states.count { $0 == "lost" } == 1)
    }

    @Test func `The counters of encrypted packets survive, so that old ones stay refused`() throws {
        let stage = GatewayStage(.strap()) {
            $0.devices = [DeviceSettings(address: .strap)]
            $0.devices[0].key = DeviceKey([UInt8](repeating: 7, count: 16))
        }
        stage.run(for: .seconds(10))
        let counter = EncryptedCounter(address: SenderAddress(.strap), format: .bthome, value: 77)
        stage.gateway.pipeline.restore([counter])
        reload(stage) { $0.filter.minimumRSSI = -120 }
        #expect(stage.gateway.pipeline.encryptedCounters.map(\.value) == [77])
        // A device with a new key may count again.
        reload(stage) { $0.devices[0].key = DeviceKey([UInt8](repeating: 8, count: 16)) }
        #expect(stage.gateway.pipeline.encryptedCounters == [])
    }

    @Test func `Equal settings change nothing, and what needs a restart is named in one line`() throws {
        let stage = stage()
        stage.run(for: .seconds(45))
        reload(stage) { _ in }
        reload(stage) {
            $0.name = "cellar"
            $0.broker.host = "other"
        }
        stage.time.advance(by: .seconds(5))
        #expect(
            stage.events.suffix(2).map(\.description) == [
                "the configuration was read again; it has not changed",
                "a change of these settings needs a restart: name, broker",
            ])
        #expect(try states(stage) == ["connecting", "connected"])
        #expect(stage.gateway.configuration.name == "attic")
    }
}
