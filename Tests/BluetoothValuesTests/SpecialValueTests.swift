import Testing

@testable import BluetoothValues

/// Numbers that are not values, and structures with several units or records.
///
/// Source: GATT Specification Supplement, as in the YAML files of bluetooth-sig 0.6.0; Fitness Machine Service 1.0 for
/// data that is not available.
struct SpecialValueTests {
    private static let known:
        [(uuid: UInt16, bytes: String, field: String, value: FieldValue, meaning: SpecialMeaning?)] =
            [
                (0x2B05, "FEFFFF", "Power", .special(0xFFFFFE), .invalid),
                (0x2B05, "FFFFFF", "Power", .unknown, nil),
                (0x2B05, "FDFFFF", "Power", .number(1_677_721.3), nil),
                (0x2B06, "FEFFFF0A0000FFFFFF", "Minimum Power Value", .special(0xFFFFFE), .invalid),
                (0x2B89, "FEFFFFFF", "Apparent Energy 32", .special(0xFFFF_FFFE), .invalid),
                (0x2B8A, "FEFFFF", "Apparent Power", .special(0xFFFFFE), .invalid),
                (0x2B8C, "FEFF", "CO2 Concentration", .special(0xFFFE), .above),
                (0x2BA8, "FEFFFFFF", "Energy 32", .special(0xFFFF_FFFE), .invalid),
                (0x2BDF, "0180", "High Temperature", .special(-32767), .invalid),
                (0x2BDF, "0080", "High Temperature", .unknown, nil),
                (0x2BDF, "DEFD", "High Temperature", .number(-273), nil),
                (0x2BDF, "DDFD", "High Temperature", .special(-547), .reserved),
                (0x2BE0, "400000", "High Voltage", .number(1), nil),
                (0x2BE0, "FEFFFF", "High Voltage", .number(262_143.96875), nil),
                (0x2BE2, "FEFFFF", "Light Output", .special(0xFFFFFE), .invalid),
                (0x2BE4, "FE", "Noise", .special(254), .above),
                (0x2BE7, "FEFF", "VOC Concentration", .special(0xFFFE), .above),
                (0x2BE8, "0000", "Voltage Frequency", .special(0), .directCurrent),
                (0x2BE8, "FEFF", "Voltage Frequency", .special(0xFFFE), .invalid),
                (0x2BEA, "047F", "Current Temperature", .special(127), .above),
                (0x2BEA, "0480", "Current Temperature", .special(-128), .below),
                (0x2BEE, "00FEFFFF", "Time until Discharged", .special(0xFFFFFE), .above),
                (0x2AE3, "FF7F", "Distance from Planckian", .special(0x7FFF), .invalid),
                (0x2AE3, "FE7F", "Distance from Planckian", .unknown, nil),
                (0x2AE5, "0010FF7F", "Chromaticity Distance from Planckian", .special(0x7FFF), .invalid),
                (0x2AE8, "0000C07F", "Coefficient", .special(0x7FC0_0000), .notANumber),
                (0x2AE8, "0000807F", "Coefficient", .special(0x7F80_0000), .infinity),
                (0x2AE8, "000080FF", "Coefficient", .special(0xFF80_0000), .negativeInfinity),
                (0x2B13, "FE", "Time Exponential 8", .special(0xFE), .lifetime),
                (0x2B04, "C9", "Percentage 8", .special(201), .reserved),
                (0x2C1D, "7E0000", "Vector X", .special(126), .outOfRange),
                (0x2A9D, "00FFFF", "Weight", .special(0xFFFF), .unsuccessful),
                (0x2A9C, "0000FFFF", "Body Fat Percentage", .special(0xFFFF), .unsuccessful),
                (0x2A19, "FF", "Battery Level", .special(255), .reserved),
                (0x2A19, "64", "Battery Level", .number(100), nil),
                (0x2A6F, "1127", "Humidity", .special(10_001), .reserved),
                (0x2A6E, "4C95", "Temperature", .special(-27_316), .reserved),
                (0x2A08, "E407021E000000", "Day", .special(30), .reserved),
                (0x2A08, "E407021D000000", "Day", .integer(29), nil),
                (0x2A08, "E7070000000000", "Month", .integer(0), nil),
                (0x2A08, "E8070C1F183C3C", "Hours", .special(24), .reserved),
                (0x2A12, "FE", "Accuracy", .special(254), .above),
                (0x2A45, "01FF", "Unread Count", .special(255), .above),
                (0x2A71, "A08C", "True Wind Direction", .special(36_000), .reserved),
                (0x2C29, "10000100006400", "Maximum Blower Fan Airflow", .number(100), nil),
                (0x2A85, "00000000", "Year", .unknown, nil),
                (0x2A0E, "80", "Time Zone", .unknown, nil),
                (0x2AAA, "E8070C1F000000FC00", "Time Zone", .integer(-4), nil),
                (0x2AD2, "0101FFFFFFFFFF", "Total Energy", .unknown, nil),
                (0x2AD2, "0101FFFFFFFFFF", "Energy Per Minute", .unknown, nil),
                (0x2A47, "02", "Category ID Bit Mask", .integer(2), nil),
                (0x2A48, "0202", "Category ID Bit Mask", .integer(0x0202), nil),
            ]

    private static func record(_ uuid: UInt16, _ text: String) throws -> CharacteristicRecord {
        try #require(CharacteristicStructure.structure(of: uuid)).decode(HexText.bytes(text) ?? [])
    }

    @Test(arguments: known)
    func `Numbers with another meaning are not values, and encoding returns them`(
        uuid: UInt16, bytes: String, field: String, value: FieldValue, meaning: SpecialMeaning?
    ) throws {
        let record = try Self.record(uuid, bytes)
        let entry = try #require(record.entries.first { $0.name == field })
        #expect(entry.value == value)
        #expect(record.meaning(of: entry) == meaning)
        #expect(try record.structure.decode(record.encoded()) == record)
    }

    @Test func `A number with another meaning cannot be encoded as a value`() throws {
        func bytes(_ uuid: UInt16, _ name: String, _ value: FieldValue) -> [UInt8]? {
            CharacteristicStructure.structure(of: uuid)
                .flatMap { try? CharacteristicRecord($0, [.init(name, value)]).encoded() }
        }
        #expect(bytes(0x2B05, "Power", .number(1_677_721.4)) == nil)
        #expect(bytes(0x2B05, "Power", .special(0xFFFFFE)) == [0xFE, 0xFF, 0xFF])
        #expect(bytes(0x2B05, "Power", .special(1)) == nil)
        #expect(bytes(0x2A19, "Battery Level", .number(101)) == nil)
        #expect(bytes(0x2B13, "Time Exponential 8", .special(3)) == nil)
        let date = CharacteristicStructure.structure(of: 0x2A08)
        let parts: [(String, Int64)] = [
            ("Year", 2023), ("Month", 2), ("Day", 29), ("Hours", 0), ("Minutes", 0), ("Seconds", 0),
        ]
        let entries = parts.map { CharacteristicRecord.Entry($0.0, .integer($0.1)) }
        #expect(date.map { try? CharacteristicRecord($0, entries).encoded() } == .some(nil))
    }

    @Test func `Types refuse reserved numbers, and are nil for a failed measurement`() throws {
        #expect(throws: ValueDecodingError("Battery Level", .invalidValue(field: "Battery Level"), bytes: [255])) {
            try BatteryLevel(decoding: [255])
        }
        let date = HexText.bytes("E407021E000000") ?? []
        #expect(throws: ValueDecodingError("Date Time", .invalidValue(field: "Date Time"), bytes: date)) {
            try DateTime(decoding: date)
        }
        #expect(throws: ValueEncodingError("Date Time", field: "Hours", .outOfRange)) {
            try DateTime(ClockTime(year: 2024, month: 1, day: 1, hour: 24)).encoded()
        }
        let weight = try WeightMeasurement(decoding: [0, 0xFF, 0xFF])
        #expect(weight.weight == nil)
        #expect(try weight.encoded() == [0, 0xFF, 0xFF])
        #expect(try BodyCompositionMeasurement(bodyFat: nil).encoded() == [0, 0, 0xFF, 0xFF])
        let zone = try LocalTimeInformation(decoding: [0x80, 0xFF])
        #expect(zone == LocalTimeInformation(timeZone: nil, daylightSaving: nil))
        #expect(try zone.encoded() == [0x80, 0xFF])
    }

    @Test(arguments: [
        (1896, true), (1900, false), (1904, true), (2000, true), (2023, false), (2024, true), (2100, false),
        (2400, true), (0, true),
    ]) func `A century is a leap year only every 400 years`(year: Int, isLeapYear: Bool) {
        #expect(ClockTime.days(inMonth: 2, of: year) == (isLeapYear ? 29 : 28))
        guard year > 0 else { return }
        #expect((ClockTime(year: year, month: 2, day: 29).secondsSince1970 != nil) == isLeapYear)
        let next = ClockTime(year: year, month: 3, day: 1).secondsSince1970 ?? 0
        let last = ClockTime(year: year, month: 2, day: 28).secondsSince1970 ?? 0
        #expect(next - last == (isLeapYear ? 2 : 1) * 86_400)
    }

    @Test func `The unit of a cuff pressure follows from its flag`() throws {
        let kilopascal = try Self.record(0x2B35, "016400")
        #expect(kilopascal.entries[1].unit == .kilopascal)
        let mercury = try Self.record(0x2B35, "006400")
        #expect(mercury.entries[1].unit == .millimetreOfMercury)
    }

    @Test func `Texts that end with a zero are separate`() throws {
        let record = try Self.record(0x2BFF, "0341004200")
        #expect(record["UDI Label"] == .text("A"))
        #expect(record["UDI Device Identifier"] == .text("B"))
        #expect(try record.encoded() == HexText.bytes("0341004200"))
        // The last zero is missing.
        #expect(try Self.record(0x2BFF, "03410042") == record)
        #expect(throws: ValueDecodingError.self) { try Self.record(0x2BFF, "0341") }
        #expect(try Self.record(0x2BFF, "0141004200").surplus == [0x42, 0])
        let split = CharacteristicRecord(
            record.structure, [.init("Flags", .integer(1)), .init("UDI Label", .text("A\0B"))])
        #expect(throws: ValueEncodingError.self) { try split.encoded() }
    }

    @Test func `A sequence of glucose records has the fields of each`() throws {
        let one = try Self.record(0x2AA7, "060064010A00")
        #expect(one.entries.map(\.name) == ["Flags", "CGM Glucose Concentration", "Time Offset"])
        #expect(one["CGM Glucose Concentration"]?.number == 356)
        #expect(one["Time Offset"] == .number(10))
        // All octets of the status, trend, quality and CRC, after a record without them.
        let bytes = HexText.bytes("060064010A00" + "0FE364010B000102040AF064003412") ?? []
        #expect(bytes.count == 21)
        let two = try #require(CharacteristicStructure.structure(of: 0x2AA7)).decode(bytes)
        #expect(two.entries.filter { $0.name == "Flags" }.count == 2)
        #expect(two["Cal/Temp"] == .integer(2))
        #expect(two["CGM Trend Information"]?.number == 1)
        #expect(two["CGM Quality"]?.number == 100)
        #expect(two["E2E-CRC"] == .integer(0x1234))
        #expect(try two.encoded() == bytes)
    }

    @Test(arguments: [
        ("", ValueDecodingError.Reason.tooShort(needed: 1)), ("00", .lengthBeyondEnd(offset: 0)),
        ("070064010A00", .lengthBeyondEnd(offset: 0)),
        ("050064010A", .contradiction("the size at byte 0 does not match the fields")),
        ("060064010A00" + "09", .lengthBeyondEnd(offset: 6)),
    ]) func `A glucose record with a wrong size has a typed reason`(
        text: String, reason: ValueDecodingError.Reason
    ) {
        let bytes = HexText.bytes(text) ?? []
        #expect(throws: ValueDecodingError("CGM Measurement", reason, bytes: bytes)) {
            try Self.record(0x2AA7, text)
        }
    }
}
