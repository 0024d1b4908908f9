import Testing

@testable import BluetoothValues

struct CharacteristicTests {
    private func record(_ uuid: UInt16, _ hexadecimal: String) throws -> CharacteristicRecord {
        let structure = try #require(CharacteristicStructure.structure(of: uuid))
        return try structure.decode(HexText.bytes(hexadecimal) ?? [])
    }

    @Test func `The structures of characteristics and descriptors are in the tables once`() {
        #expect(CharacteristicStructure.all.count == 403)
        #expect(Set(CharacteristicStructure.all.map(\.uuid)).count == 403)
        #expect(CharacteristicStructure.descriptors.map(\.uuid) == Array(0x2900...0x290F))
        let fields = CharacteristicStructure.all.flatMap(\.fields)
        #expect(fields.count > 685)
        #expect(fields.allSatisfy { !$0.name.isEmpty })
    }

    @Test func `Known values decode as stated`() throws {
        let temperature = try record(0x2A1C, "006c0100ff")["Temperature"]
        #expect(temperature == .medical(MedicalFloat(rawValue: 0xFF00_016C, width: .long)))
        #expect(temperature?.number == 36.4)
        let heart = try record(0x2A37, "105A00080010")
        #expect(heart["Heart Rate"] == .number(90))
        #expect(heart["RR-interval"] == .numbers([2, 4]))
        #expect(try record(0x2A37, "0E4B8000")["Energy Expended"] == .number(128))
        #expect(try record(0x2A6E, "6409")["Temperature"] == .number(24.04))
        #expect(try record(0x2A6E, "0080")["Temperature"] == .unknown)
        #expect(try record(0x2A19, "55").entries.first?.value.number == 85)
        #expect(try record(0x2A29, "41636d65")["Manufacturer Name"] == .text("Acme"))
        #expect(try record(0x2B13, "40").entries.first?.value == .number(1))
        #expect(try record(0x2B13, "FE").entries.first?.value == .special(0xFE))
        #expect(try record(0x2A9D, "02204ee907010c173b3b")["Weight"]?.number == 100)
        #expect(try record(0x2A9D, "010a00")["Weight"]?.number == 0.1)
        #expect(try record(0x2A18, "02010007e70101010101643c41")["Type"] == .integer(1))
    }

    @Test func `A value that is too short has a typed reason and its bytes`() {
        func reason(_ uuid: UInt16, _ hexadecimal: String) -> ValueDecodingError.Reason? {
            do {
                _ = try record(uuid, hexadecimal)
                return nil
            } catch let error as ValueDecodingError {
                #expect(error.bytes == HexText.bytes(hexadecimal))
                return error.reason
            } catch {
                return nil
            }
        }
        #expect(reason(0x2A6E, "64") == .tooShort(needed: 2))
        #expect(reason(0x2A37, "") == .tooShort(needed: 1))
        #expect(reason(0x2A37, "015A") == .tooShort(needed: 3))
        #expect(reason(0x2A1C, "006c0100") == .tooShort(needed: 5))
    }

    @Test func `Fields that do not fit, are missing or superfluous are refused`() throws {
        let structure = try #require(CharacteristicStructure.structure(of: 0x2A6E))
        func failure(_ entries: [CharacteristicRecord.Entry]) -> ValueEncodingError? {
            do {
                _ = try CharacteristicRecord(structure, entries).encoded()
                return nil
            } catch {
                return error
            }
        }
        #expect(failure([.init("Temperature", .number(400))])?.reason == .outOfRange)
        #expect(failure([.init("Temperature", .number(.nan))])?.reason == .outOfRange)
        #expect(failure([.init("Temperature", .number(-327.68))])?.reason == .outOfRange)
        #expect(failure([.init("Temperature", .text("x"))])?.reason == .outOfRange)
        #expect(failure([])?.reason == .missing)
        #expect(failure([.init("Temperature", .unknown), .init("More", .unknown)])?.reason == .contradiction)
        #expect(failure([.init("Temperature", .unknown)]) == nil)
    }

    @Test func `Every structure returns random values from encoding and decoding`() throws {
        var random = SplitMix(seed: 2)
        for structure in CharacteristicStructure.all {
            for _ in 0..<structureRounds {
                let bytes = structure.randomBytes(&random)
                let record = try structure.decode(bytes)
                let encoded = try record.encoded()
                if try structure.decode(encoded) != record {
                    Issue.record("\(structure.name): \(HexText.text(bytes)) became \(HexText.text(encoded))")
                    return
                }
            }
        }
    }

    @Test func `Random bytes trap no structure`() {
        var random = SplitMix(seed: 3)
        for structure in CharacteristicStructure.all {
            for _ in 0..<structureRounds {
                let bytes = random.bytes(random.edge(below: 40))
                guard let record = try? structure.decode(bytes) else { continue }
                #expect((try? record.encoded()) != nil, "\(structure.name) \(HexText.text(bytes))")
            }
        }
    }

    @Test(
        arguments: [
            (0x07FF, MedicalFloat.Kind.notANumber), (0x0800, .notAtThisResolution), (0x07FE, .positiveInfinity),
            (0x0802, .negativeInfinity), (0x0801, .reserved), (0x0803, .number), (0x07FD, .number), (0xF7FF, .number),
        ] as [(UInt32, MedicalFloat.Kind)]) func `Special values of short medical numbers are kept`(
            bits: UInt32, kind: MedicalFloat.Kind
        )
    {
        let number = MedicalFloat(rawValue: bits, width: .short)
        #expect(number.kind == kind)
        #expect(number.rawValue == bits)
        if kind != .number { #expect(MedicalFloat.special(kind, .short) == number) }
        #expect(!number.description.isEmpty)
    }

    @Test func `Special values of long medical numbers are kept`() {
        for (bits, kind) in [
            (0x007F_FFFF, MedicalFloat.Kind.notANumber), (0x0080_0000, .notAtThisResolution),
            (0x007F_FFFE, .positiveInfinity), (0x0080_0002, .negativeInfinity), (0x0080_0001, .reserved),
        ] as [(UInt32, MedicalFloat.Kind)] {
            #expect(MedicalFloat(rawValue: bits, width: .long).kind == kind)
            #expect(MedicalFloat.special(kind, .long).rawValue == bits)
        }
    }

    @Test func `A medical number is written with the width that its field has`() throws {
        let kinds: [MedicalFloat.Kind] = [
            .notANumber, .notAtThisResolution, .positiveInfinity, .negativeInfinity, .reserved,
        ]
        for kind in kinds {
            #expect(MedicalFloat.special(kind, .short).converted(to: .long)?.kind == kind)
            #expect(MedicalFloat.special(kind, .long).converted(to: .short)?.kind == kind)
        }
        #expect(MedicalFloat(97, width: .long).converted(to: .short)?.value == 97)
        #expect(MedicalFloat(0, decimals: 20, width: .long).converted(to: .short)?.value == 0)
        #expect(MedicalFloat(97.125, decimals: 3, width: .long).converted(to: .short) == nil)
        for bits in UInt32(0)...0xFFFF {
            let number = MedicalFloat(rawValue: bits, width: .short)
            guard let long = number.converted(to: .long) else {
                Issue.record("\(number)")
                return
            }
            #expect(long.value == number.value || long.value.isNaN && number.value.isNaN)
        }
    }

    @Test func `Medical numbers convert from and to floating-point numbers`() {
        for (value, text) in [(36.4, "36.4"), (0, "0.0"), (-12.25, "-12.25"), (120, "120.0"), (0.75, "0.75")] {
            for width in [MedicalFloat.Width.short, .long] {
                #expect(MedicalFloat(value, width: width).description == text)
            }
        }
        #expect(MedicalFloat(204.7, decimals: 2).value == 205)
        #expect(MedicalFloat(.nan).kind == .notANumber)
        #expect(MedicalFloat(1e30).kind == .positiveInfinity)
        #expect(MedicalFloat(-.infinity).kind == .negativeInfinity)
        #expect(MedicalFloat(mantissa: 2047, exponent: 0, width: .short) == nil)
        #expect(MedicalFloat(mantissa: 1, exponent: 8, width: .short) == nil)
        #expect(MedicalFloat(mantissa: .min, exponent: 0, width: .long) == nil)
        #expect(MedicalFloat(mantissa: .max, exponent: .min, width: .long) == nil)
        #expect(MedicalFloat(-0x1p63).kind == .negativeInfinity)
        #expect(MedicalFloat(-0x1p63, width: .long).value == -9.22337e18)
        for bits in UInt32(0)...0xFFFF {
            let number = MedicalFloat(rawValue: bits, width: .short)
            guard number.kind == .number, abs(number.mantissa) < 2046 else { continue }
            #expect(
                MedicalFloat(mantissa: number.mantissa, exponent: number.exponent, width: .short)?.rawValue == bits)
        }
    }
}

extension CharacteristicStructure {
    /// Random bytes that the structure accepts.
    func randomBytes(_ random: inout SplitMix) -> [UInt8] {
        guard isSequence else { return randomRecord(&random) }
        return (0...random.edge(below: 3)).flatMap { _ in
            let record = randomRecord(&random)
            return [UInt8(record.count + 1)] + record
        }
    }

    private func randomRecord(_ random: inout SplitMix) -> [UInt8] {
        var bytes: [UInt8] = []
        var first: Int64 = 0
        var previous: Int64 = 0
        var bits = 0
        for (index, field) in fields.enumerated() {
            guard field.condition.isMet(first: first, previous: previous, hasMore: random.next() % 2 == 0) else {
                continue
            }
            let count: Int
            switch field.type {
            case .bits(let width):
                bits += width
                count = bits / 8
                bits %= 8
            case .sfloat: count = 2
            case .float: count = 4
            case .text, .rest, .terminatedText: count = random.edge(below: 6)
            case .fixedText(let fixed), .bytes(let fixed): count = fixed
            case .u16List, .s16List: count = random.edge(below: 4) * 2
            default: count = field.type.cell?.byteCount ?? 0
            }
            bytes += field.randomBytes(count, &random)
            previous = Int64(bytes.last ?? 0)
            if index == 0 {
                for (place, byte) in bytes.enumerated().prefix(6) { first |= Int64(byte) << Int64(place * 8) }
            }
        }
        return bits > 0 ? bytes + random.bytes(1) : bytes
    }
}

extension CharacteristicStructure.Field {
    /// Random bytes: often limits, and mostly numbers that the field allows.
    fileprivate func randomBytes(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
        if type == .terminatedText { return random.bytes(count).map { $0 % 127 + 1 } + [0] }
        if let cell = type.cell, let valid, random.next() % 8 != 0 {
            var bytes = [UInt8](repeating: 0, count: count)
            let span = UInt64(valid.upperBound - valid.lowerBound + 1)
            _ = cell.write(valid.lowerBound + Int64(random.next() % span), to: &bytes)
            return bytes
        }
        let isFiller = random.next() % 4 == 0
        let filler: UInt8 = [0, 0xFF, 0x7F, 0x80][random.edge(below: 4)]
        return isFiller ? [UInt8](repeating: filler, count: count) : random.bytes(count)
    }
}
