import Testing

@testable import BluetoothValues

/// Numbers in characteristics that a sensor cannot have measured. The ranges are those of advertisements.
struct PossibleFieldTests {
    private func record(_ uuid: UInt16, _ text: String) throws -> CharacteristicRecord {
        try #require(CharacteristicStructure.structure(of: uuid)).decode(HexText.bytes(text) ?? [])
    }

    @Test(
        arguments: [
            (0x2A37, "01ffff", "Heart Rate"), (0x2A9C, "00001027", "Body Fat Percentage"),
            (0x2A1C, "0058020000", "Temperature"), (0x2A6E, "4c95", "Temperature"), (0x2A6F, "1127", "Humidity"),
            (0x2A76, "33", "UV Index"), (0x2BE4, "c8", "Noise"), (0x2A7B, "65", "Dew Point"),
            (0x2A6D, "ffffffff", "Pressure"), (0x2A19, "c8", "Battery Level"), (0x2B8C, "419c", "CO2 Concentration"),
            (0x2BD6, "0100", "Particulate Matter - PM2.5 Concentration"),
        ] as [(UInt16, String, String)])
    func `An impossible number of a characteristic is found`(uuid: UInt16, text: String, field: String) throws {
        let record = try record(uuid, text)
        #expect(record.impossible.map(\.name) == [field])
        // The bytes are kept, so that the value can be encoded again.
        #expect(record[field] != nil)
        let isForbidden = record[field]?.number == nil
        #expect(record.remarks.count == (isForbidden ? 0 : 1))
        #expect(record.remarks.allSatisfy { $0.hasPrefix("\(field) is impossible (") })
    }

    @Test func `The remark about an impossible number has the number and its unit`() throws {
        #expect(try record(0x2A37, "01ffff").remarks == ["Heart Rate is impossible (65535 bpm)"])
        #expect(try record(0x2A1C, "0058020000").remarks == ["Temperature is impossible (600 °C)"])
        #expect(try record(0x2A76, "33").remarks == ["UV Index is impossible (51)"])
        // A Swift type has the number that the device sent, and encodes it again.
        let heart = try HeartRateMeasurement(decoding: [0x01, 0xFF, 0xFF])
        #expect(heart.beatsPerMinute == 65_535)
        #expect(try heart.encoded() == [0x01, 0xFF, 0xFF])
    }

    // Inclinations are negative downhill, lamps and ovens are hot, and a medical number may be none.
    @Test(
        arguments: [
            (0x2AD5, "9cfff4010500"), (0x2BDF, "d007"), (0x2C2E, "7017"), (0x2A1C, "00ffff7f00"), (0x2A37, "0048"),
            (0x2A19, "64"), (0x2A6E, "0080"), (0x2BE4, "fe"), (0x2A6D, "d0760f00"), (0x2BD6, "0590"),
        ] as [(UInt16, String)])
    func `Possible and special numbers have no remark`(uuid: UInt16, text: String) throws {
        let record = try record(uuid, text)
        #expect(record.impossible == [])
        #expect(record.remarks == [])
    }

    @Test(
        arguments: [
            (0x2A19, "c8", .batteryLevel, 200), (0x2A6F, "1127", .humidity, 100.01),
            (0x2A6E, "4c95", .temperature, -273.16), (0x2A73, "ffff", .direction, 655.35),
        ] as [(UInt16, String, Quantity, Double)])
    func `A characteristic as service data keeps the number in the details`(
        uuid: UInt16, text: String, quantity: Quantity, number: Double
    ) throws {
        var decoder = SensorDecoder()
        guard case .reading(let reading) = decoder.decode(.service(uuid, HexText.bytes(text) ?? [])) else {
            Issue.record("\(text) was refused")
            return
        }
        #expect(reading.measurements == [])
        let found = try #require(reading.impossible.first)
        #expect(found.quantity == quantity && abs(found.value - number) < 0.001)
        #expect(decoder.impossibleValueCount == 1)
    }

    @Test func `A percentage that is possible is from 0 to 100, except slopes and powers`() {
        var random = SplitMix(seed: 30)
        let others: Set = [
            "Inclination", "Minimum Inclination", "Maximum Inclination", "Target Inclination", "Grade", "Boost Level",
            "Cooking Zone Perceived Power", "Minimum Available Power", "Pulse Amplitude Index",
            "Threshold as Percentage of Maximum Heart Rate",
        ]
        for structure in CharacteristicStructure.all {
            for _ in 0..<20 {
                guard let record = try? structure.decode(structure.randomBytes(&random)) else { continue }
                for entry in record.entries where entry.unit == .percent && record.isPossible(entry) {
                    let number = entry.value.number ?? .nan
                    guard number.isFinite, !others.contains(entry.name) else { continue }
                    #expect((0...100).contains(number), "\(structure.name): \(entry.name)")
                }
            }
        }
    }
}
