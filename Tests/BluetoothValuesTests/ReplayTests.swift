import Testing

@testable import BluetoothValues

struct ReplayTests {
    private let address: SenderAddress = "54:48:E6:8F:80:A5"
    private let key = DeviceKey([UInt8](repeating: 7, count: 16))
    private var sender: Sender { Sender(address: address, key: key) }

    private func decoder() -> SensorDecoder {
        var decoder = SensorDecoder()
        decoder.keys[address] = key
        return decoder
    }

    private func bthome(_ counter: UInt32) throws -> AdvertisedSection {
        try BTHome([.battery(50)], counter: counter).section(from: sender)
    }

    private func miBeacon(_ counter: UInt32, frame: UInt8 = 0) throws -> AdvertisedSection {
        try MiBeacon(
            product: 0x055B, objects: [.init(0x1004, [1, 0])], frameCounter: frame, encryptionCounter: counter
        ).section(from: sender)
    }

    private func reason(_ result: SensorResult) -> ValueDecodingError.Reason? {
        guard case .failure(let error) = result else { return nil }
        return error.reason
    }

    @Test(arguments: [
        // A plain packet of another format, with a packet number.
        AdvertisedSection.manufacturer(0x0499, HexText.bytes("0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F") ?? []),
        // Plain BTHome without values is no downgrade.
        .service(0xFCD2, [0x40, 0x00, 0x05]),
        // xiaomi-ble, test_blank_advertisements_then_encrypted: a header of an LYWSD03MMC, with our address.
        .service(0xFE95, HexText.bytes("30585b050aa5808fe6485408") ?? []),
    ]) func `A plain packet does not change the counter that encryption protects`(plain: AdvertisedSection) throws {
        var decoder = decoder()
        #expect(reason(decoder.decode(try bthome(1000), from: address)) == nil)
        #expect(reason(decoder.decode(try miBeacon(1000), from: address)) == nil)
        _ = decoder.decode(plain, from: address)
        #expect(reason(decoder.decode(try bthome(500), from: address)) == .replayed(counter: 500, last: 1000))
        let (old, last): (UInt32, UInt32) = (500 << 8, 1000 << 8)
        #expect(reason(decoder.decode(try miBeacon(500), from: address)) == .replayed(counter: old, last: last))
    }

    @Test func `A plain packet with a high number does not block the packets that are encrypted`() throws {
        var decoder = decoder()
        var ruuvi = RuuviTag(temperature: 20, sequence: 0xFF_FFFE)
        ruuvi.version = .e1
        #expect(reason(decoder.decode(try ruuvi.section(), from: address)) == .downgraded)
        #expect(reason(decoder.decode(try bthome(6), from: address)) == nil)
        let header = try MiBeacon(product: 0x055B, objects: [], frameCounter: 255).section()
        #expect(reason(decoder.decode(header, from: address)) == nil)
        #expect(reason(decoder.decode(try miBeacon(0), from: address)) == nil)
    }

    @Test func `Packets of devices without a key do not remove the counters of devices with one`() throws {
        var decoder = decoder()
        decoder.historyLimit = 8
        #expect(reason(decoder.decode(try bthome(1000), from: address)) == nil)
        for number in 0..<100 {
            let ruuvi = try RuuviTag(temperature: 20, sequence: number).section()
            _ = decoder.decode(ruuvi, from: SenderAddress(UInt64(number)))
        }
        #expect(reason(decoder.decode(try bthome(500), from: address)) == .replayed(counter: 500, last: 1000))
    }

    @Test(arguments: [Int.min, -1, 0, 1, .max]) func `Any limit of remembered packets can be set`(limit: Int) throws {
        var decoder = decoder()
        decoder.historyLimit = limit
        for number in 0..<3 {
            let ruuvi = try RuuviTag(temperature: 20, sequence: number).section()
            guard case .reading = decoder.decode(ruuvi, from: SenderAddress(UInt64(number))) else {
                Issue.record("the packet was refused")
                continue
            }
        }
        #expect(decoder.historyLimit == limit)
    }

    @Test func `A MiBeacon frame with another address than its sender is refused`() {
        let frame = AdvertisedSection.service(
            0xFE95, HexText.bytes("5020aa01a3bf2e3b342d580d1004b40095020a10013b") ?? [])
        let contradiction = ValueDecodingError.Reason.contradiction(
            "the address in the payload is not that of the sender")
        var decoder = SensorDecoder()
        #expect(reason(decoder.decode(frame, from: "11:22:33:44:55:66")) == contradiction)
        #expect(reason(decoder.decode(frame, from: "58:2D:34:3B:2E:BF")) == nil)
        #expect(reason(decoder.decode(frame)) == nil)
    }

    @Test func `A payload that names a device with a key is accepted only from this device`() throws {
        var decoder = decoder()
        var atc = ATC1441(temperature: 20, humidity: 50, battery: 50, voltage: 3)
        atc.address = address
        var pvvx = PVVX(temperature: 20, humidity: 50, voltage: 3, battery: 50)
        pvvx.address = address
        let qingping = Qingping(product: 1, address: address, objects: [.init(0x02, [50])])
        let values: [any AdvertisementFormat] = [atc, pvvx, qingping]
        for value in values {
            let section = try value.section()
            #expect(
                reason(decoder.decode(section, from: "11:22:33:44:55:66"))
                    == .contradiction("the address in the payload is not that of the sender"))
            var other = SensorDecoder()
            #expect(reason(other.decode(section, from: "11:22:33:44:55:66")) == nil)
        }
    }
}
