/// The kind of a measured value, independent of its unit.
public enum Quantity: String, Hashable, Sendable, CaseIterable {
    /// The temperature of the surroundings, or of what the device measures.
    case temperature
    /// The temperature of a second sensor, for example a probe.
    case probeTemperature
    /// The temperature at which water condenses.
    case dewPoint
    /// The temperature of a body.
    case bodyTemperature
    /// Relative humidity.
    case humidity
    /// Water in soil or wood.
    case moisture
    /// The pressure of the air, or of a tyre.
    case pressure
    /// The light that falls on a surface.
    case illuminance
    /// A vendor's index of brightness.
    case lightLevel
    /// The charge of the battery, in percent.
    case batteryLevel
    /// An electric potential. For most sensors, that of the battery.
    case voltage
    /// The potential of a second battery.
    case auxiliaryVoltage
    /// The potential in the middle of a battery bank.
    case midpointVoltage
    /// An electric current.
    case current
    /// Electric or mechanical power.
    case power
    /// Energy.
    case energy
    /// Electric charge that was drawn.
    case consumedCharge
    /// The charge of a battery bank, in percent.
    case stateOfCharge
    /// Time until a battery is empty, or something finishes.
    case timeRemaining
    /// Energy produced today.
    case yieldToday
    /// Carbon dioxide in the air.
    case carbonDioxide
    /// Volatile organic compounds in the air.
    case volatileOrganicCompounds
    /// A vendor's index of volatile organic compounds.
    case vocIndex
    /// A vendor's index of nitrogen oxides.
    case noxIndex
    /// Formaldehyde in the air.
    case formaldehyde
    /// Particles of at most 1 µm.
    case particles1
    /// Particles of at most 2.5 µm.
    case particles2_5
    /// Particles of at most 4 µm.
    case particles4
    /// Particles of at most 10 µm.
    case particles10
    /// Radon in the air.
    case radon
    /// Ionising radiation since the last reset.
    case radiationDose
    /// Ionising radiation in time.
    case radiationDoseRate
    /// Sound pressure averaged over time.
    case soundAverage
    /// Sound pressure at its peak.
    case soundPeak
    /// Sound pressure now.
    case soundInstant
    /// Acceleration along the x axis.
    case accelerationX
    /// Acceleration along the y axis.
    case accelerationY
    /// Acceleration along the z axis.
    case accelerationZ
    /// Acceleration without a stated direction.
    case acceleration
    /// Angular velocity.
    case angularVelocity
    /// An angle.
    case rotation
    /// A direction of the compass.
    case direction
    /// A number of revolutions in time.
    case rotationalSpeed
    /// Speed.
    case speed
    /// Distance.
    case distance
    /// Mass.
    case mass
    /// The electrical impedance of a body.
    case impedance
    /// A number of occurrences.
    case count
    /// A counter of detected movements.
    case movementCount
    /// A period of time.
    case duration
    /// A volume.
    case volume
    /// A volume in time.
    case volumeFlow
    /// Gas that a meter counted.
    case gas
    /// Water that a meter counted.
    case water
    /// A volume that a tank holds.
    case storedVolume
    /// Electric conductivity.
    case conductivity
    /// Rain.
    case precipitation
    /// Ultraviolet index.
    case uvIndex
    /// A number of a channel.
    case channel
    /// Density relative to water.
    case specificGravity
    /// The transmit power of an advertisement.
    case transmitPower
    /// The signal strength that a beacon calibrated at a distance of one metre, or at 0 m for Eddystone.
    case calibratedPower
    /// A number of a vendor's text or mode.
    case mode
    /// Time that the device has run.
    case upTime
    /// Number of advertisements sent.
    case advertisementCount
    /// The level of a liquid.
    case level
    /// The rate of the heart.
    case heartRate
    /// A vendor's measure of how good a measurement is.
    case quality
    /// A number of the error that a device reports.
    case errorCode
    /// A revision number of the device's settings.
    case settingsRevision
    /// A vendor's score.
    case score
}

/// A measured value with its kind and unit.
public struct SensorMeasurement: Hashable, Sendable {
    /// What was measured.
    public var quantity: Quantity
    /// The value in ``unit``.
    public var value: Double
    /// The unit of ``value``.
    public var unit: MeasurementUnit
    /// Distinguishes several measurements of one quantity, in the order of the payload: 0, 1, 2 …
    public var index: Int

    /// Makes a measurement.
    public init(_ quantity: Quantity, _ value: Double, _ unit: MeasurementUnit, index: Int = 0) {
        self.quantity = quantity
        self.value = value
        self.unit = unit
        self.index = index
    }
}

extension SensorMeasurement: CustomStringConvertible {
    /// The quantity, the value and the symbol of the unit, for example `temperature 24.3 °C`.
    ///
    /// A whole number has no decimal point: `temperature 21 °C`. For another text, use ``value`` and
    /// ``MeasurementUnit/symbol``.
    public var description: String {
        let name = index == 0 ? quantity.rawValue : quantity.rawValue + "[" + String(index) + "]"
        return name + " " + Self.text(value, unit)
    }

    /// Returns a number with the symbol of its unit.
    static func text(_ number: Double, _ unit: MeasurementUnit) -> String {
        let text = number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        return unit.symbol.isEmpty ? text : text + " " + unit.symbol
    }
}
