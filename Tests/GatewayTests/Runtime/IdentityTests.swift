import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Devices whose private addresses change.
@Suite struct IdentityTests {
    private let identity: BluetoothAddress = "C0:FF:EE:00:00:77"

    private func key(_ text: String = "ec0234a357c8ad05341010a60a397d9b") throws -> DeviceKey {
        try #require(DeviceKey(text))
    }

    private func address(_ random: UInt32) throws -> String {
        try #require(IdentityResolver.makeAddress(random: random, key: key())).description
    }

    /// A gateway and a sensor whose address changes at 40, 80 and 120 s.
    private func stage(_ jobs: [GATTJob] = [], key: DeviceKey?) throws -> GatewayStage {
        let first = try address(1)
        var scenario = Scenario(seed: 5) {
            SimulatedPeripheral("Sensor", address: first) {
                SimulatedAdvertisement(every: .milliseconds(500), rssi: -60, manufacturerData: [0x0499: Scenario.ruuvi])
                SimulatedService("180d") { SimulatedCharacteristic("2a38", .read([1])) }
            }
            // Keeps the adapter from falling silent while the sensor is connected.
            SimulatedPeripheral("Other", address: "C0:FF:EE:00:00:09") {
                SimulatedAdvertisement(every: .milliseconds(500), rssi: -60)
            }
        }
        scenario.script = try (1...3).map { turn in
            let next = try address(UInt32(turn + 1))
            return at(.seconds(turn * 40)) { $0.rotateAddress(of: first, to: next) }
        }
        return GatewayStage(scenario) { configuration in
            var device = DeviceSettings(identity, jobs)
            device.identityKey = key
            configuration.devices = [device]
            configuration.publishing.maximumInterval = .seconds(10)
        }
    }

    @Test func `A device with changing addresses is published under its identity`() throws {
        let stage = try stage(key: key())
        stage.run(for: .seconds(160))
        let readings = stage.messages("home/attic/BTtoMQTT/")
        #expect(Set(readings.map(\.topic)) == ["home/attic/BTtoMQTT/C0FFEE000077"])
        #expect(readings.count >= 14)
        #expect(try readings.allSatisfy { try ParsedJSON($0.payload)["id"]?.string == identity.description })
        let presence = try stage.json("home/attic/presence/C0FFEE000077").compactMap { $0["state"]?.string }
        #expect(presence.first == "found" && !presence.contains("lost"))
        #expect(stage.gateway.pipeline.deviceCount == 1)
        let discovered = Set(stage.messages("homeassistant/device/").map(\.topic))
        #expect(discovered.filter { !$0.contains("ble-gateway-") }.count == 1)
    }

    @Test func `Without the right key, each address is a device of its own`() throws {
        for key in [nil, try key("00112233445566778899aabbccddeeff")] {
            let stage = try stage(key: key)
            stage.run(for: .seconds(160))
            let topics = Set(stage.messages("home/attic/BTtoMQTT/").map(\.topic))
            #expect(topics.count == 4 && !topics.contains("home/attic/BTtoMQTT/C0FFEE000077"))
        }
    }

    @Test func `Jobs and commands use the present address`() throws {
        let stage = try stage([GATTJob(.read(every: .seconds(90)), of: "2A38")], key: key())
        stage.run(for: .seconds(60))
        stage.server.publish(Publication("home/attic/commands/C0FFEE000077", #"{"id":"1","read":"2A38"}"#))
        stage.time.advance(by: .seconds(120))
        let messages = try stage.json("home/attic/connection/C0FFEE000077")
        #expect(messages.count { $0["hex"]?.string == "01" } == 2, "\(messages)")
        // bluetoothd removes a device with a private address 30 s after its last advertisement, also during a link.
        let errors = messages.compactMap { $0["error"]?["kind"]?.string }
        #expect(errors.allSatisfy { $0 == "disconnected" } && errors.count <= 1, "\(messages)")
        let results = try stage.json("home/attic/results/C0FFEE000077")
        #expect(results.map { $0["ok"] } == [.bool(true)])
    }

    @Test func `A public address is never resolved`() throws {
        let sensor = try address(1)
        let scenario = Scenario(seed: 5) {
            SimulatedPeripheral("Sensor", address: sensor, addressType: .public) {
                SimulatedAdvertisement(every: .milliseconds(500), rssi: -60, manufacturerData: [0x0499: Scenario.ruuvi])
            }
        }
        let stage = GatewayStage(scenario) { configuration in
            var device = DeviceSettings(address: identity)
            device.identityKey = DeviceKey("ec0234a357c8ad05341010a60a397d9b")
            configuration.devices = [device]
        }
        stage.run(for: .seconds(5))
        let topics = Set(stage.messages("home/attic/BTtoMQTT/").map(\.topic))
        #expect(topics == ["home/attic/BTtoMQTT/" + sensor.filter { $0 != ":" }])
    }
}
