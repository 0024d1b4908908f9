import Testing

@testable import BluetoothValues

/// Levels of resistance with one byte, as in the supplement, and with two, as most trainers send them.
struct ResistanceLevelTests {
    private func record(_ uuid: UInt16, _ text: String) throws -> CharacteristicRecord {
        try #require(CharacteristicStructure.structure(of: uuid)).decode(HexText.bytes(text) ?? [])
    }

    @Test func `A trainer that sends two bytes is decoded completely`() throws {
        let bytes = HexText.bytes("FE02FE0934088E007C004A01001400C700680000") ?? []
        let bike = try IndoorBikeData(decoding: bytes)
        #expect(bike.speed == 25.58)
        #expect(bike.averageSpeed == 21)
        #expect(bike.cadence == 71)
        #expect(bike.distance == 330)
        #expect(bike.resistance == 20)
        #expect(bike.power == 199)
        #expect(bike.averagePower == 104)
        #expect(bike.heartRate == 0)
        let record = try record(0x2AD2, "6402000000001400000000")
        #expect(record["Resistance Level"] == .number(20))
        #expect(record.hasWideLevels)
    }

    @Test(
        arguments: [
            (0x2AD2, "210014", 20, false), (0x2AD2, "21001400", 20, true), (0x2AD2, "2100F6FF", -10, true),
            (0x2AD1, "810014", 20, false), (0x2AD1, "81001400", 20, true),
            (0x2ACE, "81000014", 20, false), (0x2ACE, "8100001400", 20, true), (0x2ACE, "810000FF", 255, false),
        ] as [(UInt16, String, Double, Bool)])
    func `The length of the value says how many bytes a level has`(
        uuid: UInt16, text: String, level: Double, isWide: Bool
    ) throws {
        let record = try record(uuid, text)
        #expect(record["Resistance Level"] == .number(level))
        #expect(record.hasWideLevels == isWide)
        #expect(record.surplus == [])
        #expect(record.remarks == [])
        #expect(try record.encoded() == HexText.bytes(text))
    }

    @Test func `A range of levels has two bytes each, in tenths, or one byte each`() throws {
        let wide = try record(0x2AD6, "000064000100")
        #expect(wide.entries.map(\.value) == [.number(0), .number(10), .number(0.1)])
        #expect(try wide.encoded() == HexText.bytes("000064000100"))
        let narrow = try record(0x2AD6, "006401")
        #expect(narrow.entries.map(\.value) == [.number(0), .number(100), .number(1)])
        #expect(try narrow.encoded() == HexText.bytes("006401"))
        // Four bytes are too few for three levels of two.
        #expect(try record(0x2AD6, "00640100").surplus == [0])
    }

    @Test func `A value that fits both widths is taken with two bytes, and says so`() throws {
        let record = try record(0x2AD2, "2100140000")
        #expect(record["Resistance Level"] == .number(20))
        #expect(record.remarks == ["Resistance Level was taken as 2 bytes; 1 byte fits as well"])
        #expect(record.surplus == [0])
    }

    @Test func `A level of one byte before a surplus zero is found, and the value says so`() throws {
        let bytes = HexText.bytes("2102143C00") ?? []
        let bike = try IndoorBikeData(decoding: bytes)
        #expect(bike.resistance == 20)
        #expect(bike.heartRate == 60)
        let narrow = try record(0x2AD2, "2102143C00")
        #expect(!narrow.hasWideLevels)
        #expect(narrow.surplus == [0])
        #expect(narrow.remarks == ["Resistance Level was taken as 1 byte; 2 bytes fit as well"])
        #expect(try narrow.encoded() == bytes)
        let filled = try record(0x2AD2, "2102143C00000000")
        #expect(filled["Heart Rate"]?.number == 60)
        #expect(filled.surplus == [0, 0, 0, 0])
    }

    @Test(
        arguments: [
            ("210214003C", 20, false), ("2102F6FF3C", -10, false), ("21022C013C", 300, true), ("21002C01", 300, true),
            // The last byte is no filling, so the level has two bytes, although no machine has such a level.
            ("2100143C", 15_380, true), ("210214273C", 10_004, true),
        ] as [(String, Double, Bool)])
    func `A trainer with two bytes has them, and a large level says so`(
        text: String, level: Double, isRemarked: Bool
    ) throws {
        let record = try record(0x2AD2, text)
        #expect(record.hasWideLevels)
        #expect(record["Resistance Level"] == .number(level))
        #expect(record["Heart Rate"] == (text.count > 8 ? .number(60) : nil))
        let remark = "Resistance Level was taken as 2 bytes; 1 byte fits as well"
        #expect(record.remarks == (isRemarked ? [remark] : []))
        #expect(try record.encoded() == HexText.bytes(text))
    }

    @Test(
        arguments: [
            // One byte would make 25,646 W or kcal, or −14,290 W, and leave a zero.
            (0x2AD2, "6100E02E6400", "Instantaneous Power", 100), (0x2AD2, "6100E02E3200", "Instantaneous Power", 50),
            (0x2AD2, "6100E02EC800", "Instantaneous Power", 200),
            (0x2ACE, "810100E02E6400", "Instantaneous Power", 100),
            (0x2AD2, "2101E02E6400000000", "Total Energy", 100), (0x2AD1, "8101E02E6400000000", "Total Energy", 100),
            (0x2AD2, "2101E02E0A00640000", "Energy Per Hour", 100),
        ] as [(UInt16, String, String, Double)])
    func `A large level has two bytes if one makes a power or energy of no machine`(
        uuid: UInt16, text: String, field: String, number: Double
    ) throws {
        let record = try record(uuid, text)
        #expect(record.hasWideLevels)
        #expect(record["Resistance Level"] == .number(12_000))
        #expect(record[field] == .number(number))
        #expect(record.remarks == ["Resistance Level was taken as 2 bytes; 1 byte fits as well"])
        #expect(try record.encoded() == HexText.bytes(text))
    }

    @Test func `A level has one byte if two make a power of no machine`() throws {
        // Two bytes make level 20, −14,335 W, and an average of 0 W.
        let record = try record(0x2AD2, "E100140001C80000")
        #expect(!record.hasWideLevels)
        #expect(record["Resistance Level"] == .number(20))
        #expect(record["Instantaneous Power"] == .number(256))
        #expect(record["Average Power"] == .number(200))
        #expect(record.remarks == ["Resistance Level was taken as 1 byte; 2 bytes fit as well"])
        #expect(try record.encoded() == HexText.bytes("E100140001C80000"))
    }

    @Test func `A level that does not fit into one byte is encoded with two`() throws {
        #expect(try IndoorBikeData(resistance: 20).encoded() == [0x21, 0, 20])
        #expect(try IndoorBikeData(resistance: -1).encoded() == [0x21, 0, 0xFF, 0xFF])
        #expect(try IndoorBikeData(resistance: 300).encoded() == [0x21, 0, 0x2C, 0x01])
        #expect(try IndoorBikeData(decoding: IndoorBikeData(resistance: 300).encoded()).resistance == 300)
        #expect(throws: ValueEncodingError.self) { try IndoorBikeData(resistance: 40_000).encoded() }
    }

    @Test(
        arguments: [
            (0x2AD9, "0464", "Target Resistance Level", 10), (0x2AD9, "046400", "Target Resistance Level", 10),
            (0x2AD9, "05C800", "Target Power", 200), (0x2AD9, "1100000A002833", "Grade", 0.1),
            (0x2AD9, "800501", "Result", 1), (0x2ADA, "08C800", "Target Power", 200),
            (0x2ADA, "0764", "Target Resistance Level", 10),
            (0x2ADA, "0201", "Stop or Pause", 1), (0x2ACC, "0300000004000000", "Target Setting Features", 4),
        ] as [(UInt16, String, String, Double)])
    func `Commands and states of a fitness machine have the parameters of their codes`(
        uuid: UInt16, text: String, field: String, number: Double
    ) throws {
        let record = try record(uuid, text)
        #expect(record[field]?.number == number)
        #expect(record.surplus == [])
        #expect(try record.encoded() == HexText.bytes(text))
    }

    @Test(
        arguments: [
            // Beyond ±1,000; one byte would leave a parameter that is not zero.
            (0x2AD9, "04FF7F", 3276.7, []), (0x2AD9, "04F82A", 1100, []), (0x2ADA, "0701D8", -1023.9, []),
            (0x2AD9, "04F82A00", 1100, [0]), (0x2ADA, "0764003C", 10, [0x3C]),
        ] as [(UInt16, String, Double, [UInt8])])
    func `The bytes after a target level decide as surplus bytes do`(
        uuid: UInt16, text: String, level: Double, parameter: [UInt8]
    ) throws {
        let record = try record(uuid, text)
        #expect(record.hasWideLevels)
        #expect(record["Target Resistance Level"] == .number(level))
        #expect(record["Parameter"] == (parameter.isEmpty ? nil : .bytes(parameter)))
        #expect(record.remarks == ["Target Resistance Level was taken as 2 bytes; 1 byte fits as well"])
        #expect(try record.encoded() == HexText.bytes(text))
    }

    @Test func `Random values of both widths return from encoding and decoding`() throws {
        var random = SplitMix(seed: 33)
        for uuid in [0x2ACE, 0x2AD1, 0x2AD2, 0x2AD6, 0x2AD9, 0x2ADA] as [UInt16] {
            let structure = try #require(CharacteristicStructure.structure(of: uuid))
            for _ in 0..<structureRounds {
                let bytes = structure.randomBytes(&random) + random.bytes(random.edge(below: 5))
                let record = try structure.decode(bytes)
                #expect(try structure.decode(record.encoded()) == record, "\(structure.name) \(HexText.text(bytes))")
            }
        }
    }
}
