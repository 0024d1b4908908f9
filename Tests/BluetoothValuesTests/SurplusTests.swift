import Testing

@testable import BluetoothValues

/// Bytes after the last one that is defined.
struct SurplusTests {
    private func record(_ uuid: UInt16, _ text: String) throws -> CharacteristicRecord {
        try #require(CharacteristicStructure.structure(of: uuid)).decode(HexText.bytes(text) ?? [])
    }

    // The first two are from heart rate straps, the third from a power meter that fills its packets with zeros.
    @Test(
        arguments: [
            (0x2A37, "103eb103de", "Heart Rate", 62, [0xDE]), (0x2A37, "004800", "Heart Rate", 72, [0]),
            (0x2A63, "0000c70000000000", "Instantaneous Power", 199, [0, 0, 0, 0]),
            (0x2A6E, "640900", "Temperature", 24.04, [0]), (0x2A19, "55aabb", "Battery Level", 85, [0xAA, 0xBB]),
            (0x2A37, "103e01", "Heart Rate", 62, [1]), (0x2A47, "020304", "Category ID Bit Mask", 0x0302, [4]),
            (0x2AA9, "05000102037f", "Time Offset", 5, [0x7F]), (0x2B46, "0627ff", "Units", nil, [0xFF]),
            (0x2A0F, "080401", "Time Zone", 8, [1]), (0x2AF8, "4142434445464748ff", "Fixed String", nil, [0xFF]),
        ] as [(UInt16, String, String, Double?, [UInt8])])
    func `What is defined is decoded, and the rest is kept`(
        uuid: UInt16, text: String, field: String, number: Double?, surplus: [UInt8]
    ) throws {
        let record = try record(uuid, text)
        #expect(record[field] != nil)
        #expect(record[field]?.number == number)
        #expect(record.surplus == surplus)
        #expect(try record.encoded() == HexText.bytes(text))
    }

    @Test func `An interval that is cut off does not drop the others`() throws {
        let record = try record(0x2A37, "103eb103de")
        #expect(record["RR-interval"] == .numbers([945.0 / 1024]))
        #expect(try HeartRateMeasurement(decoding: [0x10, 0x3E, 0xB1, 0x03, 0xDE]).intervals == [945.0 / 1024])
    }

    @Test func `Every structure accepts surplus bytes, unless its last field takes all of them`() throws {
        var random = SplitMix(seed: 31)
        for structure in CharacteristicStructure.all + CharacteristicStructure.descriptors where !structure.isSequence {
            let bytes = structure.randomBytes(&random) + [0xA5, 0x5A, 0xA5, 0x5A, 0xA5, 0x5A, 0xA5]
            guard let record = try? structure.decode(bytes) else {
                Issue.record("\(structure.name) refused \(HexText.text(bytes))")
                return
            }
            #expect(try record.encoded().count == bytes.count || !record.surplus.isEmpty, "\(structure.name)")
        }
    }

    @Test(
        arguments: [
            (AdvertisedSection.Kind.manufacturer, 0x0499, "03291A1ECE1EFC18F94202CA0B53", SensorFormat.ruuvi),
            (.manufacturer, 0x004C, "0215fda50693a4e24fb1afcfc6eb07647825000100021a", .iBeacon),
            (.manufacturer, 0x06D5, "000867355067925c0b04", .sensirion),
            (.service, 0x2A6E, "6409", .environmentalSensing),
            (.manufacturer, 0x00DC, "03210b0328041107373804", .oralB), (.service, 0xFD3D, "6900640098a6", .switchBot),
            (.service, 0xFEAA, "20000bb819800000000100000002", .eddystone),
        ] as [(AdvertisedSection.Kind, UInt16, String, SensorFormat)])
    func `Advertisements with surplus bytes are decoded if their layout has one length`(
        kind: AdvertisedSection.Kind, identifier: UInt16, text: String, format: SensorFormat
    ) {
        var decoder = SensorDecoder()
        let bytes = HexText.bytes(text) ?? []
        guard case .reading(var expected) = decoder.decode(AdvertisedSection(kind, identifier, bytes)) else {
            Issue.record("\(text) was refused")
            return
        }
        expected.surplus = [0xA5, 0x5A, 1]
        let longer = decoder.decode(AdvertisedSection(kind, identifier, bytes + [0xA5, 0x5A, 1]))
        #expect(longer == .reading(expected))
        #expect(expected.format == format)
    }

    @Test func `A URL of a beacon that is too long is refused`() {
        var decoder = SensorDecoder()
        let url = AdvertisedSection.service(0xFEAA, [0x10, 0, 2] + [UInt8](repeating: 0x61, count: 18))
        guard case .failure(let error) = decoder.decode(url) else {
            Issue.record("The URL was accepted")
            return
        }
        #expect(error.reason == .tooLong(allowed: 20))
    }
}
