import TestTraits
import Testing

@testable import BluetoothValues

/// Packets without encryption that have the address of a device with a key.
struct DowngradeTests {
    private static let address: SenderAddress = "54:48:E6:8F:80:A5"
    private static let key = DeviceKey([UInt8](repeating: 7, count: 16))
    private static let sender = Sender(address: address, key: key)

    private func decoder() -> SensorDecoder {
        var decoder = SensorDecoder()
        decoder.keys[Self.address] = Self.key
        return decoder
    }

    private func reason(_ result: SensorResult) -> ValueDecodingError.Reason? {
        guard case .failure(let error) = result else { return nil }
        return error.reason
    }

    @Test(.proves(.S128), arguments: Vector.all.filter { $0.key == nil })
    func `Plain values of every format are refused from a device with a key`(vector: Vector) {
        var decoder = decoder()
        let result = decoder.decode(vector.section, from: Self.address, name: vector.name)
        let isContradiction = reason(result) == .contradiction("the address in the payload is not that of the sender")
        #expect(reason(result) == .downgraded || isContradiction, "\(result)")
        var other = SensorDecoder()
        other.keys["00:00:00:00:00:01"] = Self.key
        if reason(other.decode(vector.section, from: Self.address, name: vector.name)) == .downgraded {
            Issue.record("A device without a key was refused")
        }
    }

    @Test(
        .proves(.S128),
        arguments: [
            // A pressed button, a turned dimmer, a state, a text, a time, and a command.
            "403a01", "403c0103", "402101", "40530141", "405001020304", "403b0001",
        ])
    func `Plain events, states, texts and times are refused from a device with a key`(digits: String) {
        var decoder = decoder()
        let section = AdvertisedSection.service(0xFCD2, HexText.bytes(digits) ?? [])
        #expect(reason(decoder.decode(section, from: Self.address)) == .downgraded)
        var other = SensorDecoder()
        #expect(reason(other.decode(section, from: Self.address)) == nil)
    }

    @Test(.proves(.S128)) func `A plain event of MiBeacon is refused from a device with a key`() throws {
        var decoder = decoder()
        let press = MiBeacon(product: 0x1568, objects: [.init(0x1001, [0, 0, 0])])
        #expect(reason(decoder.decode(try press.section(), from: Self.address)) == .downgraded)
    }

    @Test func `A packet that has only the identity of a device with a key is accepted`() throws {
        var decoder = decoder()
        for section in [
            try MiBeacon(product: 0x055B, objects: []).section(), .service(0xFCD2, [0x40, 0x00, 0x05]),
            .service(0xFCD2, [0x40, 0xF0, 1, 2]), .manufacturer(0x004C, [0x10, 5, 1, 2]),
        ] {
            #expect(reason(decoder.decode(section, from: Self.address)) == nil, "\(section)")
        }
    }

    @Test(.proves(.S128))
    func `Encryption without integrity is refused after packets that prove the key`() throws {
        var decoder = decoder()
        let weak = try Victron(
            record: 1, measurements: [SensorMeasurement(.errorCode, 0, .none), SensorMeasurement(.mode, 3, .none)]
        ).section(from: Self.sender)
        #expect(reason(decoder.decode(weak, from: Self.address)) == nil)
        let strong = try BTHome([.battery(50)], counter: 1).section(from: Self.sender)
        #expect(reason(decoder.decode(strong, from: Self.address)) == nil)
        #expect(reason(decoder.decode(weak, from: Self.address)) == .downgraded)
    }

    @Test(.proves(.S128)) func `A payload of any format that names a device with a key is refused from others`() throws
    {
        var decoder = decoder()
        var ruuvi = RuuviTag(temperature: 20)
        ruuvi.address = Self.address
        var meter = SwitchBot(temperature: 20, humidity: 50, battery: 50)
        (meter.kind, meter.battery, meter.address) = (0, nil, Self.address)
        for section in [try ruuvi.section(), try meter.section()] {
            #expect(
                reason(decoder.decode(section, from: "11:22:33:44:55:66"))
                    == .contradiction("the address in the payload is not that of the sender"))
        }
    }
}
