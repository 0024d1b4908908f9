import Testing

@testable import BluetoothValues

struct EncryptionTests {
    private let address: SenderAddress = "54:48:E6:8F:80:A5"
    private let key = "231d39c1d7cc1ab1aee224cd096db932"

    private func section(_ hexadecimal: String) -> AdvertisedSection {
        .service(0xFCD2, HexText.bytes(hexadecimal) ?? [])
    }

    private func decoder(keys: Bool = true) -> SensorDecoder {
        var decoder = SensorDecoder()
        if keys { decoder.keys[address] = DeviceKey(key) }
        return decoder
    }

    private func reason(_ result: SensorResult) -> ValueDecodingError.Reason? {
        guard case .failure(let error) = result else { return nil }
        return error.reason
    }

    @Test func `A packet without key is refused, with its bytes and without values`() {
        var decoder = decoder(keys: false)
        let bytes = HexText.bytes("41a47266c95f730011223378237214") ?? []
        let result = decoder.decode(.service(0xFCD2, bytes), from: address)
        #expect(result == .failure(ValueDecodingError("bthome", .missingKey, bytes: bytes)))
    }

    @Test func `A wrong key, a changed byte and an unknown sender are refused`() {
        var decoder = decoder()
        let good = "41a47266c95f730011223378237214"
        decoder.keys[address] = DeviceKey([UInt8](repeating: 1, count: 16))
        #expect(reason(decoder.decode(section(good), from: address)) == .wrongKey)
        decoder.keys[address] = DeviceKey([UInt8](repeating: 1, count: 12))
        #expect(reason(decoder.decode(section(good), from: address)) == .unsuitableKey)
        decoder.keys[address] = DeviceKey(key)
        var bytes = HexText.bytes(good) ?? []
        bytes[3] ^= 1
        #expect(reason(decoder.decode(.service(0xFCD2, bytes), from: address)) == .wrongKey)
        #expect(reason(decoder.decode(section(good), from: nil)) == .missingKey)
        #expect(throws: ValueDecodingError("bthome", .missingAddress, bytes: HexText.bytes(good) ?? [])) {
            try BTHome(section(good), from: Sender(key: DeviceKey(key)))
        }
    }

    @Test func `A packet older than the last one is refused as replayed`() {
        var decoder = decoder()
        let first = decoder.decode(section("41e445f3c9962b332211006c7c4519"), from: address)
        guard case .reading(let reading) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(reading.packetCounter == 0x0011_2233)
        let newer = decoder.decode(section("413e932cc7175f34221100553876af"), from: address)
        #expect(reason(newer) == nil)
        let older = decoder.decode(section("41723d3035fb88322211009e7414c0"), from: address)
        #expect(reason(older) == .replayed(counter: 0x0011_2232, last: 0x0011_2234))
    }

    @Test func `Counters of BTHome decide about newer, repeated and older packets`() throws {
        var decoder = decoder()
        let sender = Sender(address: address, key: DeviceKey(key))
        func packet(_ counter: UInt32) throws -> AdvertisedSection {
            try BTHome([.button(.press)], counter: counter).section(from: sender)
        }
        func reading(_ counter: UInt32) throws -> SensorReading? {
            guard case .reading(let reading) = decoder.decode(try packet(counter), from: address) else { return nil }
            return reading
        }
        #expect(try reading(100)?.events == [.button(index: 1, .press)])
        let again = try #require(try reading(100))
        #expect(again.isRepeated)
        #expect(again.events == [])
        #expect(try reading(101)?.isRepeated == false)
        #expect(reason(decoder.decode(try packet(5), from: address)) == .replayed(counter: 5, last: 101))
        decoder.restartLimit = 10
        #expect(try reading(5) != nil)
        decoder.restartLimit = 0
        #expect(reason(decoder.decode(try packet(4), from: address)) == .replayed(counter: 4, last: 5))
        decoder.forgetCounter(of: address)
        #expect(try reading(4) != nil)
        // A counter may wrap around.
        decoder.forgetCounter(of: address)
        #expect(try reading(0xFFFF_FFFF) != nil)
        #expect(try reading(0) != nil)
    }

    @Test func `An older packet does not change the counter, nor does one with a wrong key`() throws {
        var decoder = decoder()
        let sender = Sender(address: address, key: DeviceKey(key))
        _ = decoder.decode(try BTHome([.battery(50)], counter: 10).section(from: sender), from: address)
        let foreign = Sender(address: address, key: DeviceKey([UInt8](repeating: 9, count: 16)))
        _ = decoder.decode(try BTHome([.battery(50)], counter: 900).section(from: foreign), from: address)
        _ = decoder.decode(try BTHome([.battery(50)], counter: 3).section(from: sender), from: address)
        guard
            case .reading = decoder.decode(
                try BTHome([.battery(50)], counter: 11).section(from: sender), from: address)
        else {
            Issue.record("the packet 11 was refused")
            return
        }
    }

    @Test func `A device with a key that sends plain values is refused as downgraded`() throws {
        var decoder = decoder()
        let plain = try BTHome([.temperature(21)]).section()
        #expect(reason(decoder.decode(plain, from: address)) == .downgraded)
        let mi = MiBeacon(product: 0x055B, objects: [.init(0x1004, [1, 0])])
        #expect(reason(decoder.decode(try mi.section(), from: address)) == .downgraded)
        // Frames without objects are part of encrypted devices' normal behaviour.
        #expect(reason(decoder.decode(try MiBeacon(product: 0x055B, objects: []).section(), from: address)) == nil)
        #expect(reason(decoder.decode(plain, from: "00:00:00:00:00:01")) == nil)
    }

    @Test(arguments: [
        (0xFCD2, "41"), (0xFCD2, "4100112233445566"), (0xFE95, "58585b0550f4830238c1a4"),
        (0xFE95, "58585b0550f4830238c1a4001122"), (0xFE95, "5830b603d28b98c54124f8"), (0x181A, "0011223344556677"),
        (0x181A, "0011223344556677889900"),
    ]) func `Encrypted payloads that are too short or forged are refused`(uuid: UInt16, hexadecimal: String) {
        for length in [12, 16] {
            var decoder = SensorDecoder()
            decoder.keys[address] = DeviceKey([UInt8](repeating: 3, count: length))
            let result = decoder.decode(.service(uuid, HexText.bytes(hexadecimal) ?? []), from: address)
            #expect(reason(result) != nil, "\(result)")
        }
    }

    @Test func `Encrypted values of every format return from encoding and decoding`() throws {
        var random = SplitMix(seed: 4)
        for _ in 0..<max(200, rounds / 4) {
            let sender = Sender(address: SenderAddress(random.next()), key: DeviceKey(random.bytes(16)))
            let number = UInt32(truncatingIfNeeded: random.next())
            if var value = try? BTHome(.service(0xFCD2, [0x40] + FormatGenerator.bthome(&random))) {
                value.counter = number
                value.isTriggerBased = random.next() % 2 == 0
                #expect(try BTHome(value.section(from: sender), from: sender) == value)
            }
            let objects = [MiBeacon.Object(0x4C01, [0, 0, 0xD8, 0x41]), MiBeacon.Object(0x1001, random.bytes(3))]
            var frame = MiBeacon(
                product: UInt16(number & 0xFFFF), objects: objects, frameCounter: random.byte(),
                encryptionCounter: number >> 8)
            if random.next() % 2 == 0 { frame.address = SenderAddress(random.next()) }
            if random.next() % 2 == 0 { frame.capability = [0x08] }
            #expect(try MiBeacon(frame.section(from: sender), from: sender) == frame)
            frame.version = UInt8(random.next() % 2) + 2
            frame.legacyTrailer = random.byte()
            let legacy = Sender(address: sender.address, key: DeviceKey(random.bytes(12)))
            #expect(try MiBeacon(frame.section(from: legacy), from: legacy) == frame)
            var pvvx = try PVVX(.service(0x181A, random.bytes(15)))
            (pvvx.isEncrypted, pvvx.address, pvvx.voltage) = (true, nil, nil)
            #expect(try PVVX(pvvx.section(from: sender), from: sender) == pvvx)
            var atc = ATC1441(
                temperature: Double(random.next() % 255) / 2 - 40, humidity: Double(random.next() % 255) / 2,
                battery: Double(random.next() % 128), voltage: nil, counter: Int(random.byte()))
            atc.isEncrypted = true
            #expect(try ATC1441(atc.section(from: sender), from: sender) == atc)
        }
    }

    @Test func `Encoding without the key or address of the sender fails with the missing field`() {
        let value = BTHome([.packet(1)], counter: 1)
        #expect(throws: ValueEncodingError("bthome", field: "key", .missing)) { try value.section() }
        #expect(throws: ValueEncodingError("bthome", field: "address", .missing)) {
            try value.section(from: Sender(key: DeviceKey(key)))
        }
        #expect(throws: ValueEncodingError("victron", field: "key", .missing)) {
            try Victron(record: 1, measurements: []).section()
        }
    }
}
