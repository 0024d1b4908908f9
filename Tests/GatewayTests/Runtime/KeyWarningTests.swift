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
    /// A button that was pressed, without encryption.
    private static let button: [UInt8] = [0x40, 0x3A, 0x01]

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

    @Test(arguments: [plain, button])
    func `A device with a key that does not encrypt is reported once`(data: [UInt8]) {
        let stage = stage(data, key: "231d39c1d7cc1ab1aee224cd096db932")
        stage.run(for: .seconds(300))
        let text = "its advertisements are not encrypted, so they are ignored; remove its “key”, or turn encryption on"
        #expect(warnings(stage) == ["\(Self.sensor) “Hall”: \(text)"])
        #expect(stage.messages("home/attic/BTtoMQTT/").isEmpty)
    }

    @Test func `Plain events of a device that encrypts are refused, counted and reported once`() {
        let stage = stage(key: "231d39c1d7cc1ab1aee224cd096db932")
        stage.run(for: .seconds(10))
        stage.simulation.bluez.advertise(
            SimulatedAdvertisement(
                every: .seconds(1), rssi: -60, serviceData: ["fcd2": Self.button], firstAfter: .zero),
            from: Self.sensor)
        stage.time.advance(by: .seconds(300))
        let text = "plain values with its address are ignored, because it encrypts; another device may imitate it"
        #expect(warnings(stage) == ["\(Self.sensor) “Hall”: \(text)"])
        #expect(!stage.messages("home/attic/BTtoMQTT/").contains { $0.text.contains("button") })
        let counter = stage.gateway.metrics().split(separator: "\n").first { $0.contains("advertisements_downgraded") }
        #expect(counter?.hasSuffix(" 0") == false)
    }

    @Test func `Plain values of another format are refused, counted and reported once`() {
        let scenario = Scenario(seed: 5) {
            SimulatedPeripheral("Sensor", address: Self.sensor, addressType: .public) {
                SimulatedAdvertisement(
                    every: .seconds(1), rssi: -60, manufacturerData: [0xEC88: [0, 3, 0x0D, 0x1E, 0x64, 0]],
                    serviceData: ["fcd2": Self.encrypted])
            }
        }
        let stage = GatewayStage(scenario) { configuration in
            var device = DeviceSettings(address: sensor)
            device.name = "Hall"
            device.key = DeviceKey("231d39c1d7cc1ab1aee224cd096db932")
            configuration.devices = [device]
        }
        stage.run(for: .seconds(300))
        let text = "plain values with its address are ignored, because it encrypts; another device may imitate it"
        #expect(warnings(stage) == ["\(Self.sensor) “Hall”: \(text)"])
        #expect(!stage.messages("home/attic/BTtoMQTT/").isEmpty)
        #expect(!stage.messages("home/attic/BTtoMQTT/").contains { $0.text.contains("govee") })
        let counter = stage.gateway.metrics().split(separator: "\n").first { $0.contains("advertisements_downgraded") }
        #expect(counter?.hasSuffix(" 0") == false)
    }

    @Test func `A sensor that counts again is published after a proof, and reported once`() throws {
        let key = "231d39c1d7cc1ab1aee224cd096db932"
        let sender = Sender(address: SenderAddress(sensor), key: DeviceKey(key))
        func data(_ counter: UInt32) throws -> [UInt8] {
            try BTHome([.temperature(Double(counter % 50))], counter: counter).section(from: sender).bytes
        }
        let stage = stage(try data(154_553), key: key)
        stage.run(for: .seconds(10))
        func send(_ counters: ClosedRange<UInt32>) throws -> Int {
            let before = stage.messages("home/attic/BTtoMQTT/").count
            for counter in counters {
                stage.simulation.bluez.advertise(
                    SimulatedAdvertisement(
                        every: .seconds(1), rssi: -60, serviceData: ["fcd2": try data(counter)], firstAfter: .zero),
                    from: Self.sensor)
                stage.time.advance(by: .seconds(2))
            }
            return stage.messages("home/attic/BTtoMQTT/").count - before
        }
        #expect(try send(154_554...154_556) > 0)
        #expect(try send(148...150) == 0)
        #expect(try send(151...160) > 0)
        let text = "it counts its packets again after number 154556, and is accepted"
        #expect(warnings(stage) == ["\(Self.sensor) “Hall”: \(text)"])
    }

    @Test func `An old packet that is sent again and again is reported once`() {
        var check = KeyCheck([sensor])
        let reports = (0..<100).compactMap { _ in check.failed(.replayed(counter: 1, last: 2), sensor) }
        #expect(reports.count == 1)
        #expect(reports.first?.contains("older than packet 2") == true)
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
