/// The values that a quantity can have at all, for all formats.
///
/// A value outside of its range is a fault of a sensor, a message in the place of a value, or a mistake of recognition.
enum PossibleValues {
    // docs/values.md has the same tables.

    /// Returns the values that are possible; nil if every number is.
    static func range(of quantity: Quantity, _ unit: MeasurementUnit) -> ClosedRange<Double>? {
        // A share has the same range for each quantity, also if its quantity in other units has none.
        guard unit != .percent else { return percentages }
        return switch quantity {
        case .humidity, .moisture, .batteryLevel, .stateOfCharge: percentages
        case .temperature, .probeTemperature: unit == .fahrenheit ? -328...932 : -200...500
        case .dewPoint: unit == .fahrenheit ? -148...212 : -100...100
        case .bodyTemperature: unit == .fahrenheit ? 32...140 : 0...60
        case .pressure: unit == .pascal ? 0...10_000_000 : 0...100_000
        case .illuminance: 0...200_000
        case .carbonDioxide: 0...40_000
        case .volatileOrganicCompounds: 0...60_000
        case .vocIndex, .noxIndex: 0...60_000
        case .formaldehyde: 0...20_000
        case .particles1, .particles2_5, .particles4, .particles10:
            unit == .kilogramPerCubicMetre ? 0...0.000_005 : 0...5_000
        case .radon: 0...100_000
        // The loudest sound in air has 194 dB.
        case .soundAverage, .soundPeak, .soundInstant: 0...194
        case .voltage, .auxiliaryVoltage, .midpointVoltage: -1_000...7_000
        case .acceleration, .accelerationX, .accelerationY, .accelerationZ:
            unit == .standardGravity ? -100...100 : -1_000...1_000
        case .direction: 0...360
        case .speed: -1_000...1_000
        case .mass: unit == .kilogram ? 0...1_000 : 0...2_000
        case .impedance: 0...5_000
        case .heartRate: 0...300
        case .uvIndex: 0...50
        case .specificGravity: 0.7...1.5
        case .transmitPower: -127...30
        case .level: 0...20_000
        case .energy, .yieldToday, .timeRemaining, .upTime, .duration, .distance, .rotationalSpeed, .radiationDose,
            .radiationDoseRate, .movementCount, .advertisementCount, .volume, .volumeFlow, .gas, .water, .storedVolume,
            .conductivity, .precipitation:
            0...Double.greatestFiniteMagnitude
        case .lightLevel, .current, .power, .consumedCharge, .angularVelocity, .rotation, .count, .channel,
            .calibratedPower, .mode, .quality, .errorCode, .settingsRevision, .score:
            nil
        }
    }

    /// Returns the values that the sensors of a format can measure, if their range is smaller.
    static func range(of quantity: Quantity, in format: SensorFormat) -> ClosedRange<Double>? {
        switch (format, quantity) {
        case (.atc1441, .temperature), (.pvvx, .temperature), (.inkbird, .temperature), (.switchBot, .temperature),
            (.qingping, .temperature), (.aranet, .temperature), (.bParasite, .temperature), (.sensirion, .temperature):
            room
        case (.govee, .temperature), (.govee, .probeTemperature): -40...100
        case (.thermoPro, .probeTemperature): -40...500
        case (.switchBot, .carbonDioxide): 0...9_999
        case (.ruuvi, .pressure), (.qingping, .pressure), (.aranet, .pressure): 300...1_200
        case (.ruuvi, .vocIndex), (.ruuvi, .noxIndex), (.sensirion, .vocIndex), (.sensirion, .noxIndex): 0...500
        case (.tilt, .specificGravity): 0.9...1.3
        case (.tilt, .temperature): -40...260
        default: nil
        }
    }

    /// Whether a value is possible. NaN and infinity are in no range.
    static func contain(_ measurement: SensorMeasurement, of format: SensorFormat) -> Bool {
        // The range of a format is within that of its quantity.
        let range = range(of: measurement.quantity, in: format) ?? range(of: measurement.quantity, measurement.unit)
        return range?.contains(measurement.value) ?? measurement.value.isFinite
    }

    static let percentages = 0.0...100
    /// The temperatures in °C that sensors for rooms and gardens measure.
    private static let room = -60.0...150
}
