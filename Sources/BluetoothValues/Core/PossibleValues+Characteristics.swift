// The fields of characteristics have the ranges of advertised values, as far as they have one of their quantities.
extension PossibleValues {
    /// Returns the values that are possible for a field; nil if every number is.
    static func range(of entry: CharacteristicRecord.Entry, in characteristic: UInt16) -> ClosedRange<Double>? {
        // An inclination has more than 100 % beyond 45°, and is negative downhill.
        if entry.unit == .percent { return fieldsBeyondPercentages.contains(entry.name) ? nil : percentages }
        return quantity(of: entry, in: characteristic).flatMap { range(of: $0, entry.unit) }
    }

    private static func quantity(of entry: CharacteristicRecord.Entry, in characteristic: UInt16) -> Quantity? {
        switch entry.unit {
        // Health thermometers also measure other things than bodies, so 2A1C has the range of every temperature.
        case .celsius, .fahrenheit:
            hotCharacteristics.contains(characteristic) ? nil : characteristic == 0x2A7B ? .dewPoint : .temperature
        case .pascal: .pressure
        case .lux: .illuminance
        case .decibelOfSound: .soundInstant
        case .decibelMilliwatt: .transmitPower
        case .beatsPerMinute: .heartRate
        case .kilogram, .pound: .mass
        case .ohm: .impedance
        case .metrePerSecond: .speed
        default: quantities[characteristic]
        }
    }

    /// The characteristics that have a unit with several meanings.
    private static let quantities: [UInt16: Quantity] = [
        0x2A71: .direction, 0x2A73: .direction, 0x2A76: .uvIndex, 0x2B18: .voltage, 0x2B8C: .carbonDioxide,
        0x2BD5: .particles1, 0x2BD6: .particles2_5, 0x2BD7: .particles10, 0x2BE7: .volatileOrganicCompounds,
    ]

    /// The characteristics with temperatures of light sources and of cooking. The supplement has their ranges.
    private static let hotCharacteristics: Set<UInt16> = [0x2BDF, 0x2C27, 0x2C29, 0x2C2E]

    /// The fields in percent that may be negative or more than 100.
    private static let fieldsBeyondPercentages: Set<String> = [
        "Inclination", "Minimum Inclination", "Maximum Inclination", "Target Inclination", "Grade", "Boost Level",
        "Cooking Zone Perceived Power", "Minimum Available Power", "Pulse Amplitude Index",
        "Threshold as Percentage of Maximum Heart Rate", "Measurement Uncertainty",
    ]
}

extension CharacteristicRecord {
    /// The entries with a number that the sensor cannot have measured, such as a heart rate of 65,535 bpm.
    ///
    /// They are also in ``entries``. The ranges are those of advertised values, see ``SensorReading/impossible``. A
    /// number that the specification forbids is impossible, too, if its field has a range. The Swift types of
    /// characteristics have the numbers that the device sent.
    public var impossible: [Entry] { entries.filter { !isPossible($0) } }

    /// Returns whether a sensor can have measured the number of an entry. An entry without a number is possible.
    public func isPossible(_ entry: Entry) -> Bool {
        guard let range = PossibleValues.range(of: entry, in: structure.uuid) else { return true }
        if case .special = entry.value { return meaning(of: entry) != .reserved }
        // Medical numbers have values that are not finite, which are no measurements.
        guard let number = entry.value.number, number.isFinite else { return true }
        return range.contains(number)
    }
}
