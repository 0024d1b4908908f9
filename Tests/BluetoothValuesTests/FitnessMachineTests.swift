import Testing

@testable import BluetoothValues

/// The fields of each fitness machine, one flag after another.
///
/// Random round trips do not find a wrong scale, sign or flag, because encoding has the same mistake.
struct FitnessMachineTests {
    /// The number of a flag, the bytes of the fields that it adds, and the value with these fields only.
    private typealias Part<Value> = (flag: Int, bytes: String, value: Value)

    /// Decodes and encodes each part, and one payload with the first part of each flag.
    private func check<Value: CharacteristicValue>(
        _ parts: [Part<Value>], flagBytes: Int = 2, all: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func payload(_ flags: Int, _ text: String) throws -> [UInt8] {
            (0..<flagBytes).map { UInt8(flags >> ($0 * 8) & 0xFF) } + (try #require(HexText.bytes(text)))
        }
        var allFlags = 0
        var last: Int?
        var allBytes = ""
        for part in parts {
            // The first flag is set if its fields are absent.
            let bytes = try payload(part.flag == 0 ? 0 : 1 | 1 << part.flag, part.bytes)
            #expect((try? Value(decoding: bytes)) == part.value, "flag \(part.flag)", sourceLocation: sourceLocation)
            #expect((try? part.value.encoded()) == bytes, "flag \(part.flag)", sourceLocation: sourceLocation)
            if part.flag == last { continue }
            last = part.flag
            if part.flag != 0 { allFlags |= 1 << part.flag }
            allBytes += part.bytes
        }
        let bytes = try payload(allFlags, allBytes)
        #expect(try Value(decoding: bytes) == all, sourceLocation: sourceLocation)
        #expect(try all.encoded() == bytes, sourceLocation: sourceLocation)
    }

    @Test func `Each flag of a treadmill adds its fields`() throws {
        typealias Data = TreadmillData
        let parts: [Part<Data>] = [
            (0, "C2FE", Data(speed: 652.18)), (0, "FFFF", Data(speed: 655.35)),
            (1, "C3FE", Data(averageSpeed: 652.19)), (1, "FFFF", Data(averageSpeed: 655.35)),
            (2, "0102FE", Data(distance: 16_646_657)), (2, "FFFFFF", Data(distance: 16_777_215)),
            (3, "F1FFF202", Data(inclination: -1.5, rampAngle: 75.4)),
            (3, "FF7FF2FF", Data(rampAngle: -1.4)), (3, "F1FFFF7F", Data(inclination: -1.5)),
            (4, "F4FEF5FE", Data(elevationGain: 6526.8, elevationLoss: 6526.9)),
            (4, "FFFFF5FE", Data(elevationLoss: 6526.9)),
            (4, "F4FEFFFF", Data(elevationGain: 6526.8)),
            (5, "F6FE", Data(pace: 65_270)), (5, "FFFF", Data(pace: 65_535)),
            (6, "F7FE", Data(averagePace: 65_271)), (6, "FFFF", Data(averagePace: 65_535)),
            (7, "E1FEE2FEE3", Data(energy: 65_249, energyPerHour: 65_250, energyPerMinute: 227)),
            (7, "E1FEFFFFFF", Data(energy: 65_249)),
            (7, "FFFFE2FEFF", Data(energyPerHour: 65_250)),
            (7, "FFFFFFFFE3", Data(energyPerMinute: 227)),
            (8, "C8", Data(heartRate: 200)), (8, "FF", Data(heartRate: 255)),
            (9, "C9", Data(metabolicEquivalent: 20.1)), (9, "FF", Data(metabolicEquivalent: 25.5)),
            (10, "D1FE", Data(elapsedTime: 65_233)), (10, "FFFF", Data(elapsedTime: 65_535)),
            (11, "D2FE", Data(remainingTime: 65_234)), (11, "FFFF", Data(remainingTime: 65_535)),
            (12, "D3FED4FE", Data(beltForce: -301, power: -300)),
            (12, "FF7FD4FE", Data(power: -300)), (12, "D3FEFF7F", Data(beltForce: -301)),
        ]
        let all = Data(
            speed: 652.18, averageSpeed: 652.19, distance: 16_646_657, inclination: -1.5, rampAngle: 75.4,
            elevationGain: 6526.8, elevationLoss: 6526.9, pace: 65_270, averagePace: 65_271, energy: 65_249,
            energyPerHour: 65_250, energyPerMinute: 227, heartRate: 200, metabolicEquivalent: 20.1,
            elapsedTime: 65_233, remainingTime: 65_234, beltForce: -301, power: -300)
        try check(parts, all: all)
    }

    @Test func `Each flag of a cross trainer adds its fields`() throws {
        typealias Data = CrossTrainerData
        let parts: [Part<Data>] = [
            (0, "C2FE", Data(speed: 652.18)), (0, "FFFF", Data(speed: 655.35)),
            (1, "C3FE", Data(averageSpeed: 652.19)), (1, "FFFF", Data(averageSpeed: 655.35)),
            (2, "0102FE", Data(distance: 16_646_657)), (2, "FFFFFF", Data(distance: 16_777_215)),
            (3, "C4FEC5FE", Data(stepRate: 65_220, averageStepRate: 65_221)),
            (3, "FFFFC5FE", Data(averageStepRate: 65_221)), (3, "C4FEFFFF", Data(stepRate: 65_220)),
            (4, "C6FE", Data(strides: 6522.2)), (4, "FFFF", Data(strides: 6553.5)),
            (5, "F4FEF5FE", Data(elevationGain: 65_268, elevationLoss: 65_269)),
            (5, "FFFFF5FE", Data(elevationLoss: 65_269)), (5, "F4FEFFFF", Data(elevationGain: 65_268)),
            (6, "F1FFF202", Data(inclination: -1.5, rampAngle: 75.4)),
            (6, "FF7FF2FF", Data(rampAngle: -1.4)), (6, "F1FFFF7F", Data(inclination: -1.5)),
            (7, "C7", Data(resistance: 199)), (7, "FF", Data(resistance: 255)),
            (8, "D5FE", Data(power: -299)), (8, "FF7F", Data(power: 32_767)),
            (9, "D6FE", Data(averagePower: -298)), (9, "FF7F", Data(averagePower: 32_767)),
            (10, "E1FEE2FEE3", Data(energy: 65_249, energyPerHour: 65_250, energyPerMinute: 227)),
            (10, "E1FEFFFFFF", Data(energy: 65_249)), (10, "FFFFE2FEFF", Data(energyPerHour: 65_250)),
            (10, "FFFFFFFFE3", Data(energyPerMinute: 227)),
            (11, "C8", Data(heartRate: 200)), (11, "FF", Data(heartRate: 255)),
            (12, "C9", Data(metabolicEquivalent: 20.1)), (12, "FF", Data(metabolicEquivalent: 25.5)),
            (13, "D1FE", Data(elapsedTime: 65_233)), (13, "FFFF", Data(elapsedTime: 65_535)),
            (14, "D2FE", Data(remainingTime: 65_234)), (14, "FFFF", Data(remainingTime: 65_535)),
            (15, "", Data(isBackward: true)),
        ]
        let all = Data(
            speed: 652.18, averageSpeed: 652.19, distance: 16_646_657, stepRate: 65_220, averageStepRate: 65_221,
            strides: 6522.2, elevationGain: 65_268, elevationLoss: 65_269, inclination: -1.5, rampAngle: 75.4,
            resistance: 199, power: -299, averagePower: -298, energy: 65_249, energyPerHour: 65_250,
            energyPerMinute: 227, heartRate: 200, metabolicEquivalent: 20.1, elapsedTime: 65_233,
            remainingTime: 65_234, isBackward: true)
        try check(parts, flagBytes: 3, all: all)
    }

    @Test func `Each flag of a rower adds its fields`() throws {
        typealias Data = RowerData
        let parts: [Part<Data>] = [
            (0, "B3C4FE", Data(strokeRate: 89.5, strokes: 65_220)),
            (0, "FFFFFF", Data(strokeRate: 127.5, strokes: 65_535)),
            (1, "B5", Data(averageStrokeRate: 90.5)), (1, "FF", Data(averageStrokeRate: 127.5)),
            (2, "0102FE", Data(distance: 16_646_657)), (2, "FFFFFF", Data(distance: 16_777_215)),
            (3, "F6FE", Data(pace: 65_270)), (3, "FFFF", Data(pace: 65_535)),
            (4, "F7FE", Data(averagePace: 65_271)), (4, "FFFF", Data(averagePace: 65_535)),
            (5, "D5FE", Data(power: -299)), (5, "FF7F", Data(power: 32_767)),
            (6, "D6FE", Data(averagePower: -298)), (6, "FF7F", Data(averagePower: 32_767)),
            (7, "C7", Data(resistance: 199)), (7, "FF", Data(resistance: 255)),
            (8, "E1FEE2FEE3", Data(energy: 65_249, energyPerHour: 65_250, energyPerMinute: 227)),
            (8, "E1FEFFFFFF", Data(energy: 65_249)), (8, "FFFFE2FEFF", Data(energyPerHour: 65_250)),
            (8, "FFFFFFFFE3", Data(energyPerMinute: 227)),
            (9, "C8", Data(heartRate: 200)), (9, "FF", Data(heartRate: 255)),
            (10, "C9", Data(metabolicEquivalent: 20.1)), (10, "FF", Data(metabolicEquivalent: 25.5)),
            (11, "D1FE", Data(elapsedTime: 65_233)), (11, "FFFF", Data(elapsedTime: 65_535)),
            (12, "D2FE", Data(remainingTime: 65_234)), (12, "FFFF", Data(remainingTime: 65_535)),
        ]
        let all = Data(
            strokeRate: 89.5, strokes: 65_220, averageStrokeRate: 90.5, distance: 16_646_657, pace: 65_270,
            averagePace: 65_271, power: -299, averagePower: -298, resistance: 199, energy: 65_249,
            energyPerHour: 65_250, energyPerMinute: 227, heartRate: 200, metabolicEquivalent: 20.1,
            elapsedTime: 65_233, remainingTime: 65_234)
        try check(parts, all: all)
    }

    @Test func `Each flag of an indoor bike adds its fields`() throws {
        typealias Data = IndoorBikeData
        let parts: [Part<Data>] = [
            (0, "C2FE", Data(speed: 652.18)), (0, "FFFF", Data(speed: 655.35)),
            (1, "C3FE", Data(averageSpeed: 652.19)), (1, "FFFF", Data(averageSpeed: 655.35)),
            (2, "C5FE", Data(cadence: 32_610.5)), (2, "FFFF", Data(cadence: 32_767.5)),
            (3, "C7FE", Data(averageCadence: 32_611.5)), (3, "FFFF", Data(averageCadence: 32_767.5)),
            (4, "0102FE", Data(distance: 16_646_657)), (4, "FFFFFF", Data(distance: 16_777_215)),
            (5, "C7", Data(resistance: 199)), (5, "FF", Data(resistance: 255)),
            (6, "D5FE", Data(power: -299)), (6, "FF7F", Data(power: 32_767)),
            (7, "D6FE", Data(averagePower: -298)), (7, "FF7F", Data(averagePower: 32_767)),
            (8, "E1FEE2FEE3", Data(energy: 65_249, energyPerHour: 65_250, energyPerMinute: 227)),
            (8, "E1FEFFFFFF", Data(energy: 65_249)), (8, "FFFFE2FEFF", Data(energyPerHour: 65_250)),
            (8, "FFFFFFFFE3", Data(energyPerMinute: 227)),
            (9, "C8", Data(heartRate: 200)), (9, "FF", Data(heartRate: 255)),
            (10, "C9", Data(metabolicEquivalent: 20.1)), (10, "FF", Data(metabolicEquivalent: 25.5)),
            (11, "D1FE", Data(elapsedTime: 65_233)), (11, "FFFF", Data(elapsedTime: 65_535)),
            (12, "D2FE", Data(remainingTime: 65_234)), (12, "FFFF", Data(remainingTime: 65_535)),
        ]
        let all = Data(
            speed: 652.18, averageSpeed: 652.19, cadence: 32_610.5, averageCadence: 32_611.5, distance: 16_646_657,
            resistance: 199, power: -299, averagePower: -298, energy: 65_249, energyPerHour: 65_250,
            energyPerMinute: 227, heartRate: 200, metabolicEquivalent: 20.1, elapsedTime: 65_233,
            remainingTime: 65_234)
        try check(parts, all: all)
    }

    @Test(arguments: [0x2ACD, 0x2ACE, 0x2ACF, 0x2AD0, 0x2AD1, 0x2AD2] as [UInt16])
    func `Common fields have the same unit in all machines`(uuid: UInt16) throws {
        let units: [String: MeasurementUnit] = [
            "Instantaneous Speed": .kilometrePerHour, "Average Speed": .kilometrePerHour, "Total Distance": .metre,
            "Inclination": .percent, "Ramp Angle Setting": .degree, "Ramp Setting": .degree,
            "Positive Elevation Gain": .metre, "Negative Elevation Gain": .metre, "Instantaneous Pace": .second,
            "Average Pace": .second, "Steps Per Minute": .perMinute, "Average Step Rate": .perMinute,
            "Resistance Level": .none, "Instantaneous Power": .watt, "Average Power": .watt, "Power Output": .watt,
            "Total Energy": .kilocalorie, "Energy Per Hour": .kilocalorie, "Energy Per Minute": .kilocalorie,
            "Heart Rate": .beatsPerMinute, "Metabolic Equivalent": .metabolicEquivalent, "Elapsed Time": .second,
            "Remaining Time": .second,
        ]
        let structure = try #require(CharacteristicStructure.structure(of: uuid))
        for field in structure.fields where units[field.name] != nil {
            #expect(field.unit == units[field.name], "\(field.name)")
        }
    }
}
