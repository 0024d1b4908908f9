import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Devices of the configuration whose advertisements cannot be decrypted.
@Suite struct KeyWarningTests {
    private static let sensor = "54:48:E6:8F:80:A5"
    private let sensor: BluetoothAddress = "54:48:E6:8F:80:A5"

    /// The encrypted example of BTHome's documentation, which has the key `231d39c1d7cc1ab1aee224cd096db932`.
    private static let encrypted: [UInt8] = [
        0x41, 0xA4, 0x72, 0x66, 0xC9, 0x5F, 0x73, 0x00, 0x11, 0x22, 0x33, 0x78, 0x23, 0x72, 0x14,
    ]
    private static let plain: [UInt8] = [0x40, 0x02, 0xCA, 0x09]

    private func stage(_ data: [UInt8] = encrypted, isDescribed: Bool = true, key: String?) -> GatewayStage {
        let scenario = Scenario(seed: 5) {
            SimulatedPeripheral("Sensor", address: Self.sensor, addressType: .public) {
                SimulatedAdvertisement(every: .seconds(1), rssi: -60, serviceData: ["fcd2": data])
            }
        }
        return GatewayStage(scenario) { configuration in
            var device = DeviceSettings(address: sensor)
            device.name = "Hall"
            device.key = key.flatMap { DeviceKey($0) }
            if isDescribed { configuration.devices = [device] }
        }
    }

    private func warnings(_ stage: GatewayStage) -> [String] {
        stage.events.filter { $0.level >= .warning }.map(\.description)
    }

    @Test(arguments: [
        ("00112233445566778899aabbccddeeff", "the key does not decrypt its advertisements; check its “key”"),
        ("0011223344556677889900aa", "the key has the wrong length for its advertisements; check its “key”"),
        (nil, "its advertisements are encrypted; add its “key” to the configuration"),
    ])
    func `A key that does not decrypt is reported once`(key: String?, text: String) {
        let stage = stage(key: key)
        stage.run(for: .seconds(300))
        #expect(warnings(stage) == ["\(Self.sensor) “Hall”: \(text)"])
        #expect(stage.messages("home/attic/BTtoMQTT/").isEmpty)
    }

    @Test func `A device with a key that does not encrypt is reported once`() {
        let stage = stage(Self.plain, key: "231d39c1d7cc1ab1aee224cd096db932")
        stage.run(for: .seconds(300))
        let text = "its advertisements are not encrypted, so they are ignored; remove its “key”, or turn encryption on"
        #expect(warnings(stage) == ["\(Self.sensor) “Hall”: \(text)"])
    }

    @Test func `The right key, and a device outside the configuration, are not reported`() {
        for stage in [stage(key: "231d39c1d7cc1ab1aee224cd096db932"), stage(isDescribed: false, key: nil)] {
            stage.run(for: .seconds(300))
            #expect(warnings(stage) == [])
        }
    }

    @Test func `A few packets of another sender are not reported`() {
        var check = KeyCheck([sensor])
        #expect(check.failed(.wrongKey, sensor) == nil)
        #expect(check.failed(.wrongKey, sensor) == nil)
        check.succeeded(sensor)
        #expect(check.failed(.wrongKey, sensor) == nil)
        #expect(check.failed(.replayed(counter: 1, last: 2), sensor) == nil)
        #expect(check.failed(.wrongKey, sensor) == nil)
        #expect(check.failed(.wrongKey, sensor) != nil)
        #expect(check.failed(.wrongKey, sensor) == nil)
    }
}
