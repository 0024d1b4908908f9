import Testing

@testable import BluetoothValues

struct BadInputTests {
    private func reason(_ section: AdvertisedSection, name: String? = nil) -> ValueDecodingError.Reason? {
        var decoder = SensorDecoder()
        guard case .failure(let error) = decoder.decode(section, name: name) else { return nil }
        #expect(error.bytes == section.bytes)
        #expect(!error.description.isEmpty)
        return error.reason
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] { HexText.bytes(hexadecimal) ?? [] }

    @Test func `Malformed payloads have a typed reason and their bytes`() {
        #expect(reason(.service(0xFCD2, [])) == .tooShort(needed: 1))
        #expect(reason(.service(0xFCD2, [0x20, 2, 1, 1])) == .unsupportedVersion(1))
        #expect(reason(.service(0xFCD2, [0x40, 0xEE, 1])) == .reservedIdentifier(0xEE))
        #expect(reason(.service(0xFCD2, [0x40, 0x02, 1])) == .lengthBeyondEnd(offset: 2))
        #expect(reason(.service(0xFCD2, [0x40, 0x53, 200, 65])) == .lengthBeyondEnd(offset: 2))
        #expect(reason(.service(0xFCD2, [0x40, 0x53])) == .lengthBeyondEnd(offset: 2))
        #expect(reason(.service(0xFE95, [0x50, 0x20, 1])) == .tooShort(needed: 5))
        #expect(reason(.service(0xFE95, [0x50, 0x20, 1, 2, 3, 4])) == .tooShort(needed: 11))
        #expect(reason(.service(0xFE95, bytes("402001020304100201"))) == .lengthBeyondEnd(offset: 7))
        #expect(reason(.service(0xFE95, bytes("4020010203041000"))) == nil)
        #expect(reason(.manufacturer(0x0499, [])) == .tooShort(needed: 14))
        #expect(reason(.manufacturer(0x0499, [9])) == .unsupportedVersion(9))
        #expect(reason(.manufacturer(0x0499, [5, 1, 2])) == .tooShort(needed: 24))
        #expect(reason(.manufacturer(0x004C, [2, 0x15, 1])) == .tooShort(needed: 23))
        #expect(reason(.service(0xFEAA, [0x10, 0, 9, 65])) == .invalidValue(field: "URL scheme"))
        #expect(reason(.service(0xFEAA, [0x10, 0, 1, 0x80])) == .invalidValue(field: "URL"))
        #expect(reason(.service(0xFEAA, [0x20, 7])) == .unsupportedVersion(7))
        #expect(reason(.service(0xFEAA, [0x00, 7, 1])) == .tooShort(needed: 18))
        #expect(reason(.service(0x2A6E, [1])) == .tooShort(needed: 2))
        #expect(reason(.service(0x2A19, [])) == .tooShort(needed: 1))
        // These are impossible values, which refuse no reading.
        #expect(reason(.service(0xFD3D, bytes("6900640f98a6"))) == nil)
        #expect(reason(.service(0x2A19, [255])) == nil)
        #expect(reason(.service(0x2A6F, bytes("1127"))) == nil)
        #expect(reason(.service(0x2B8C, bytes("FEFF"))) == nil)
        #expect(reason(.service(0xFDCD, [0x08])) == .tooShort(needed: 8))
        #expect(reason(.service(0xFDCD, bytes("0809000000000000010400"))) == .lengthBeyondEnd(offset: 9))
        #expect(reason(.manufacturer(0x06D5, [0, 99, 1])) == .unsupportedVersion(99))
        #expect(reason(.service(0x181D, bytes("11000000000000000000"))) == .contradiction("two units are set"))
        #expect(reason(.manufacturer(0x02E1, [0x10, 1])) == .tooShort(needed: 9))
        #expect(reason(.manufacturer(0x02E1, bytes("10010203EE0000000000"))) == .reservedIdentifier(0xEE))
        #expect(reason(.service(0x181A, bytes("F1000000000000000000000000000000"))) == .unsupportedVersion(15))
    }

    @Test func `A known format with a wrong length has a reason`() {
        #expect(reason(.manufacturer(0x0702, bytes("21"))) == .tooShort(needed: 22))
        #expect(reason(.manufacturer(0x0702, [UInt8](repeating: 1, count: 25))) == .tooLong(allowed: 22))
        #expect(reason(.manufacturer(0x00DC, bytes("0321"))) == .tooShort(needed: 9))
        #expect(reason(.manufacturer(0x00DC, [UInt8](repeating: 3, count: 10))) == .tooShort(needed: 11))
        #expect(reason(.manufacturer(0x0059, bytes("035d41a4c150a8cc03"))) == .tooShort(needed: 10))
        #expect(reason(.manufacturer(0xEC88, bytes("00ff"))) == .tooShort(needed: 6))
        #expect(reason(.manufacturer(0xEC88, [UInt8](repeating: 0, count: 8))) == .tooShort(needed: 9))
        #expect(reason(.manufacturer(0xEC88, [UInt8](repeating: 0, count: 10))) == .tooLong(allowed: 9))
        #expect(reason(.service(0x181A, bytes("a4c13800000000e90000"))) == .tooShort(needed: 13))
        #expect(reason(.service(0x181A, [UInt8](repeating: 0x10, count: 14))) == .tooShort(needed: 15))
        #expect(reason(.service(0x181A, [UInt8](repeating: 0x10, count: 17))) == .tooShort(needed: 18))
        #expect(reason(.service(0x181A, [UInt8](repeating: 0x10, count: 19))) == .tooLong(allowed: 18))
        #expect(reason(.service(0x181B, [UInt8](repeating: 0, count: 14))) == .tooLong(allowed: 13))
        #expect(reason(.service(0x181D, [])) == .tooShort(needed: 10))
        #expect(reason(.service(0x2A6E, [1])) == .tooShort(needed: 2))
    }

    @Test func `Digits that are none make an impossible value, and not an absent one`() throws {
        let value = try RuuviTag(.manufacturer(0x0499, [3, 41, 26, 100] + bytes("CE1EFC18F94202CA0B53")))
        let digits: Double = 65_536 + 26 * 256 + 100
        #expect(value.temperature == digits)
        #expect(value.humidity == 20.5)
        #expect(try RuuviTag(value.section()) == value)
        // A value that stands for no such digits cannot be encoded.
        var other = value
        other.temperature = 65_536 + 26 * 256
        #expect(throws: ValueEncodingError("ruuvi", field: "temperature", .outOfRange)) { try other.section() }
    }

    @Test func `ThermoPro has no values only if all three bytes are ones`() throws {
        func value(_ text: String) throws -> ThermoPro { try ThermoPro(WholeManufacturerData.split(bytes(text))) }
        #expect(try value("c2ffffff022c").temperature == nil)
        #expect(try value("c2ffffff022c").humidity == nil)
        #expect(try value("c2ffff27022c").temperature == -0.1)
        #expect(try value("c2ffff27022c").humidity == 39)
    }

    @Test func `Objects before an unknown or incomplete one are decoded, and the rest is kept`() throws {
        let section = AdvertisedSection.service(0xFCD2, bytes("4002CA09EE0102"))
        let value = try BTHome(section)
        #expect(value.objects.map(\.number) == [25.06])
        #expect(value.undecoded == [0xEE, 1, 2])
        #expect(try value.section() == section)
    }

    @Test(arguments: [
        AdvertisedSection.manufacturer(0xFFFF, [1, 2, 3]), .manufacturer(0x0059, [1, 2, 3]), .manufacturer(0xEC88, []),
        .service(0x180F, [1]), .service(0x181A, [1, 2, 3]), .structure(0x09, [65]),
        .manufacturer(0x004C, []), .manufacturer(0x02E1, [0x11]), .service(0xFEAA, [0x77]),
    ]) func `A section of no known format is unknown`(section: AdvertisedSection) {
        var decoder = SensorDecoder()
        #expect(decoder.decode(section, name: "sps") == .unknown)
    }

    @Test(arguments: [
        (AdvertisedSection.manufacturer(0x004C, [0x12, 0x19, 1, 2]), SensorFormat.findMy),
        (.manufacturer(0x004C, [0x10, 5, 1, 2]), .appleContinuity), (.service(0xFCB2, [1, 2]), .locationTracker),
        (.service(0xFE2C, [1, 2]), .fastPair), (.service(0xFD6F, [1, 2]), .exposureNotification),
        (.structure(0x31, [1, 2]), .encryptedData), (.service(0xFEAA, [0x40, 1]), .locationTracker),
    ]) func `Phones and trackers have a kind and nothing else`(section: AdvertisedSection, format: SensorFormat) {
        var decoder = SensorDecoder()
        #expect(decoder.decode(section, from: "C0:FF:EE:00:00:01") == .reading(SensorReading(format: format)))
        #expect(format.isRecognisedOnly)
    }

    @Test func `Values that a format cannot represent are refused with the field`() {
        func failure(_ value: some AdvertisementFormat) -> ValueEncodingError? {
            do {
                _ = try value.section()
                return nil
            } catch {
                #expect(!error.description.isEmpty)
                return error
            }
        }
        #expect(failure(RuuviTag(temperature: 200)) == ValueEncodingError("ruuvi", field: "temperature", .outOfRange))
        #expect(failure(RuuviTag(temperature: .nan)) == ValueEncodingError("ruuvi", field: "temperature", .outOfRange))
        #expect(failure(RuuviTag(temperature: .infinity))?.reason == .outOfRange)
        #expect(failure(RuuviTag(humidity: -1))?.field == "humidity")
        #expect(failure(Eddystone.url(power: 0, "ftp://x"))?.field == "URL scheme")
        #expect(failure(Eddystone.url(power: 0, "https://" + String(repeating: "x", count: 30)))?.reason == .tooLong)
        #expect(failure(Eddystone.uid(power: 0, namespace: [], instance: []))?.field == "namespace")
        #expect(failure(Govee(temperature: 5000, humidity: 1, battery: 1))?.field == "temperature")
        #expect(failure(Govee(temperature: nil, humidity: 1, battery: 1))?.reason == .contradiction)
        #expect(failure(AltBeacon(company: 1, identifier: []))?.field == "identifier")
        #expect(failure(MiBeacon(product: 1, objects: [], version: 9))?.field == "version")
        #expect(failure(PVVX())?.reason == .missing)
        #expect(throws: ValueEncodingError("bthome", field: "temperature", .outOfRange)) {
            try BTHome.Object.temperature(400)
        }
    }

    @Test func `An error has the bytes of the section, not those of a part or of decrypted data`() {
        let address: SenderAddress = "54:48:E6:8F:80:A5"
        let key = DeviceKey([UInt8](repeating: 7, count: 16))
        let sender = Sender(address: address, name: "TP357", key: key)
        func error<Format: AdvertisementFormat>(_ type: Format.Type, _ section: AdvertisedSection) -> [UInt8]? {
            do throws(ValueDecodingError) {
                _ = try Format(section, from: sender)
                return nil
            } catch { return error.bytes }
        }
        let padded = AdvertisedSection.manufacturer(0x06D5, bytes("410301D8334E4494C82AD91F"))
        #expect(error(Sensirion.self, padded) == padded.bytes)
        let short = AdvertisedSection.manufacturer(0x1234, [1, 2])
        #expect(error(ThermoPro.self, short) == short.bytes)
        #expect(error(Inkbird.self, short) == short.bytes)
    }

    @Test func `Random bytes trap no decoder, and nothing is read beyond the end`() {
        var random = SplitMix(seed: 1)
        var decoder = SensorDecoder()
        let address: SenderAddress = "54:48:E6:8F:80:A5"
        let companies: [UInt16] = [
            0x0499, 0x004C, 0xEC88, 0x0001, 0x8801, 0x0969, 0x06D5, 0x0702, 0x00DC, 0x0059, 0x02E1, 0x1234,
        ]
        let services: [UInt16] = [
            0xFCD2, 0xFE95, 0xFEAA, 0x181A, 0xFD3D, 0xFDCD, 0x181D, 0x181B, 0x2A6E, 0x2A19, 0xFE2C, 0xFCB2,
        ]
        let starts: [[UInt8]] = [
            [], [0x40], [0x41], [0x58, 0x58], [0x50, 0x20], [0x02, 0x15], [0xBE, 0xAC], [0x10], [0x20, 0], [5], [3],
            [6],
            [0xE1], [0, 8], [0x10, 2, 0, 0, 2], [0x10, 2, 0, 0, 5],
        ]
        let names = [nil, "sps", "tps", "ITH-11-B", "iBBQ", "TP357", "TP960R", "GVH5106", "GV5140", "x"]
        for round in 0..<(rounds * 20) {
            if round % 1000 == 0 { decoder.keys[address] = DeviceKey(random.bytes(round % 2000 == 0 ? 16 : 12)) }
            let count = Int(random.next() % 42)
            let bytes = starts[random.edge(below: starts.count)] + random.bytes(count)
            let isService = random.next() % 2 == 0
            let identifier = isService ? services[random.edge(below: 12)] : companies[random.edge(below: 12)]
            let section = AdvertisedSection(isService ? .service : .manufacturer, identifier, bytes)
            let name = names[random.edge(below: names.count)]
            if case .failure(let error) = decoder.decode(section, from: address, name: name) {
                if error.bytes != bytes { Issue.record("\(error) has other bytes than \(HexText.text(bytes))") }
            }
        }
    }
}
