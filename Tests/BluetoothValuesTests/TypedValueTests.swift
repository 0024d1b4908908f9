import Testing

@testable import BluetoothValues

struct TypedValueTests {
    private static let types: [any CharacteristicValue.Type] = [
        BatteryLevel.self,
        ManufacturerName.self,
        ModelNumber.self,
        SerialNumber.self,
        FirmwareRevision.self,
        HardwareRevision.self,
        SoftwareRevision.self,
        DeviceName.self,
        Appearance.self,
        SystemID.self,
        PnPID.self,
        TransmitPower.self,
        AlertLevel.self,
        Temperature.self,
        Humidity.self,
        Pressure.self,
        Elevation.self,
        UVIndex.self,
        DewPoint.self,
        HeatIndex.self,
        WindChill.self,
        TrueWindSpeed.self,
        TrueWindDirection.self,
        Rainfall.self,
        Irradiance.self,
        Illuminance.self,
        CarbonDioxideConcentration.self,
        HeartRateMeasurement.self,
        BodySensorLocation.self,
        HeartRateControlPoint.self,
        TemperatureMeasurement.self,
        TemperatureType.self,
        MeasurementInterval.self,
        BloodPressureMeasurement.self,
        IntermediateCuffPressure.self,
        BloodPressureFeature.self,
        WeightMeasurement.self,
        WeightScaleFeature.self,
        BodyCompositionMeasurement.self,
        GlucoseMeasurement.self,
        GlucoseFeature.self,
        PulseOximeterSpotCheck.self,
        PulseOximeterContinuous.self,
        CSCMeasurement.self,
        CSCFeature.self,
        SensorLocation.self,
        RSCMeasurement.self,
        RSCFeature.self,
        CyclingPowerMeasurement.self,
        CyclingPowerFeature.self,
        CurrentTime.self,
        DateTime.self,
        LocalTimeInformation.self,
        ReferenceTimeInformation.self,
        TreadmillData.self,
        CrossTrainerData.self,
        IndoorBikeData.self,
        RowerData.self,
        GlucoseMeasurementContext.self,
        CGMMeasurement.self,
        PulseOximeterFeatures.self,
        BatteryLevelStatus.self,
        UniqueDeviceIdentifier.self,
    ]

    private func decode<Value: CharacteristicValue>(_ type: Value.Type, _ hexadecimal: String) throws -> Value {
        try Value(decoding: HexText.bytes(hexadecimal) ?? [])
    }

    @Test func `Every type has a structure and a UUID of its own`() {
        #expect(Set(Self.types.map { $0.uuid }).count == Self.types.count)
        for type in Self.types {
            #expect(type.uuid.shortNumber.flatMap { CharacteristicStructure.structure(of: $0) } != nil, "\(type)")
        }
    }

    @Test func `Every type returns random values from encoding and decoding`() throws {
        var random = SplitMix(seed: 6)
        for type in Self.types { try roundTrip(type, &random) }
    }

    private func roundTrip<Value: CharacteristicValue>(_ type: Value.Type, _ random: inout SplitMix) throws {
        let number = try #require(type.uuid.shortNumber)
        let structure = try #require(CharacteristicStructure.structure(of: number))
        var decoded = 0
        for _ in 0..<max(50, rounds / 20) {
            let bytes = structure.randomBytes(&random)
            // Texts are random bytes, which are mostly not UTF-8.
            guard let value = try? Value(decoding: bytes) else { continue }
            decoded += 1
            let encoded = try value.encoded()
            if try Value(decoding: encoded) != value {
                Issue.record("\(value): \(HexText.text(bytes)) became \(HexText.text(encoded))")
                return
            }
        }
        #expect(decoded > 0, "\(type)")
    }

    @Test func `Known values decode as stated`() throws {
        #expect(
            try decode(HeartRateMeasurement.self, "105A00080010")
                == HeartRateMeasurement(beatsPerMinute: 90, intervals: [2, 4]))
        let heart = try decode(HeartRateMeasurement.self, "0E4B8000")
        #expect(heart.beatsPerMinute == 75 && heart.hasContact && heart.isContactSupported && heart.energy == 128)
        #expect(try decode(BatteryLevel.self, "55") == BatteryLevel(85))
        #expect(try decode(Temperature.self, "6409") == Temperature(24.04))
        #expect(try decode(Temperature.self, "0080") == Temperature(nil))
        #expect(try decode(TemperatureMeasurement.self, "006c0100ff").temperature.value == 36.4)
        #expect(try decode(ManufacturerName.self, "41636d65") == ManufacturerName("Acme"))
        let weight = try decode(WeightMeasurement.self, "02204ee907010c173b3b")
        #expect(weight.weight == 100)
        #expect(weight.time == ClockTime(year: 2025, month: 1, day: 12, hour: 23, minute: 59, second: 59))
    }

    @Test func `Values of fitness machines and medical devices decode as stated`() throws {
        // Instantaneous speed, average speed, energy that is not available, and the heart rate.
        let bike = try decode(IndoorBikeData.self, "0203" + "0A05" + "E803" + "FFFFFFFFFF" + "48")
        #expect(bike == IndoorBikeData(speed: 12.9, averageSpeed: 10, heartRate: 72))
        let treadmill = try decode(TreadmillData.self, "0900" + "FF7F" + "F6FF")
        #expect(treadmill == TreadmillData(rampAngle: -1))
        let trainer = try decode(CrossTrainerData.self, "088080" + "E803" + "3C00" + "FFFF")
        #expect(trainer == CrossTrainerData(speed: 10, stepRate: 60, isBackward: true))
        let rower = try decode(RowerData.self, "2400" + "30" + "6400" + "E80300" + "C8FF")
        #expect(rower == RowerData(strokeRate: 24, strokes: 100, distance: 1000, power: -56))
        let context = try decode(GlucoseMeasurementContext.self, "36" + "0100" + "03" + "F1" + "01" + "0AD0")
        #expect(context.meal == 3 && context.tester == 1 && context.health == 15 && context.isMedicationVolume)
        #expect(context.medicationKind == 1 && context.medication?.value == 0.01)
        let status = try decode(BatteryLevelStatus.self, "02" + "2300" + "5A")
        #expect(status.isBatteryPresent && status.isWired == true && status.chargeState == .charging)
        #expect(status.isWireless == false && status.level == 90 && status.identifier == nil)
        let glucose = try decode(CGMMeasurement.self, "060064010A00" + "080164010B000AF0")
        #expect(glucose.records.map(\.timeOffset) == [10, 11])
        #expect(glucose.records.map { $0.trend?.value } == [nil, 1])
        let identifier = try decode(UniqueDeviceIdentifier.self, "0341004200")
        #expect(identifier == UniqueDeviceIdentifier(label: "A", deviceIdentifier: "B"))
        let features = try decode(PulseOximeterFeatures.self, "0100" + "0500")
        #expect(features == PulseOximeterFeatures(bits: 1, status: 5))
        #expect(try IndoorBikeData(cadence: 90, energyPerHour: 500).encoded() == HexText.bytes("0501B400FFFFF401FF"))
    }

    @Test func `Flags follow from the properties that are set`() throws {
        func text(_ value: some CharacteristicValue) throws -> String { HexText.text(try value.encoded()) }
        #expect(try text(HeartRateMeasurement(beatsPerMinute: 90, intervals: [2, 4])) == "105A00080010")
        #expect(try text(HeartRateMeasurement(beatsPerMinute: 300, energy: 5)) == "092C010500")
        #expect(try text(WeightMeasurement(weight: 80, bodyMassIndex: 24, height: 1.8)) == "08803EF0000807")
        #expect(try text(WeightMeasurement(weight: 100, isImperial: true, user: 3)) == "05102703")
        #expect(try text(CSCMeasurement(crankRevolutions: 7, lastCrankTime: 1)) == "0207000004")
        #expect(
            try text(TemperatureMeasurement(temperature: MedicalFloat(36.6, decimals: 1, width: .long))) == "006E0100FF"
        )
        #expect(try text(TemperatureMeasurement(temperature: MedicalFloat(36.6))) == "006E0100FF")
        #expect(try text(Temperature(nil)) == "0080")
        #expect(try text(DeviceName("é")) == "C3A9")
    }

    @Test func `Values that do not fit are refused with the field`() {
        func failure(_ value: some CharacteristicValue) -> ValueEncodingError? {
            do {
                _ = try value.encoded()
                return nil
            } catch {
                return error
            }
        }
        #expect(failure(BatteryLevel(300)) == ValueEncodingError("Battery Level", field: "Battery Level", .outOfRange))
        #expect(failure(BatteryLevel(.nan))?.reason == .outOfRange)
        #expect(failure(HeartRateMeasurement(beatsPerMinute: 70_000))?.field == "Heart Rate")
        #expect(failure(WeightMeasurement(weight: 80, height: 1.8))?.field == "BMI")
        #expect(failure(CSCMeasurement(wheelRevolutions: 1))?.field == "Last Wheel Event Time")
        #expect(failure(SystemID([1]))?.reason == .outOfRange)
        // Five digits do not fit into a short medical number.
        #expect(
            failure(
                PulseOximeterSpotCheck(
                    oxygenSaturation: MedicalFloat(97.125, decimals: 3, width: .long), pulseRate: MedicalFloat(60)))?
                .field == "SpO2")
    }

    @Test func `A user's type conforms without help of the library`() throws {
        struct LightColor: CharacteristicValue {
            static let uuid: AttributeUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
            var red: UInt8

            init(decoding bytes: [UInt8]) throws(ValueDecodingError) {
                guard bytes.count == 1 else { throw ValueDecodingError("colour", .tooShort(needed: 1), bytes: bytes) }
                red = bytes[0]
            }

            func encoded() -> [UInt8] { [red] }
        }
        #expect(try LightColor(decoding: [7]).encoded() == [7])
        #expect(LightColor.uuid.description == "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
        #expect(LightColor.uuid.shortNumber == nil)
        #expect(BatteryLevel.uuid.description == "2A19")
        for (text, uuid) in [("2a19", BatteryLevel.uuid), ("2a1", nil), ("", nil), ("2a1g", nil)] {
            #expect(AttributeUUID(text) == uuid)
        }
    }
}
