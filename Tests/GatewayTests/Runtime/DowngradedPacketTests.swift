import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

@testable import Gateway

/// Packets without encryption in a gateway that has a key for their device.
@Suite struct DowngradedPacketTests {
    private let readings = "home/attic/BTtoMQTT/"
    private let key = DeviceKey([UInt8](repeating: 7, count: 16))

    /// The devices of a gateway that publishes their readings, without colons.
    private func published(_ stage: GatewayStage) -> Set<String> {
        stage.run(for: .seconds(5))
        return Set(stage.messages(readings).map { String($0.topic.dropFirst(readings.count)) })
    }

    private func device(_ address: String) throws -> DeviceSettings {
        var device = DeviceSettings(address: try #require(BluetoothAddress(address)))
        device.key = key
        return device
    }

    @Test(.proves(.S128)) func `Plain values of every format are refused from a device with a key`() throws {
        let plain = Scenario.showroom.peripherals.filter { peripheral in
            SenderAddress(peripheral.address).map { Scenario.showroomKeys[$0] == nil } == true
        }
        let devices = try plain.map { try device($0.address) }
        let accepted = published(GatewayStage(.showroom))
        let stage = GatewayStage(.showroom) { $0.devices = devices }
        let addresses = Set(plain.map { $0.address.filter { $0 != ":" } })
        #expect(published(stage) == accepted.subtracting(addresses))
        #expect(accepted.intersection(addresses).count >= 30)
        #expect(stage.gateway.pipeline.counts.downgraded > 0)
    }

    @Test(.proves(.S128)) func `Plain events of every format that has events are refused`() throws {
        let address = "54:48:E6:8F:80:A5"
        let sender = Sender(address: SenderAddress(address))
        let press = MiBeacon(product: 0x1568, objects: [.init(0x1001, [0, 0, 0])])
        let button = BTHome([.button(.press), .dimmer(steps: 3)], isTriggerBased: true)
        let packets = [
            ("fe95", try press.section(from: sender).bytes), ("fcd2", try button.section(from: sender).bytes),
        ]
        let device = try device(address)
        for (service, bytes) in packets {
            let scenario = Scenario(seed: 5) {
                SimulatedPeripheral("Button", address: address, addressType: .public) {
                    SimulatedAdvertisement(every: .seconds(1), rssi: -60, serviceData: [service: bytes])
                }
            }
            #expect(published(GatewayStage(scenario)).count == 1)
            #expect(published(GatewayStage(scenario) { $0.devices = [device] }).isEmpty)
        }
    }
}
