/// The rate of the heart, with contact, energy and intervals between beats.
public struct HeartRateMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A37

    /// The rate in beats in a minute.
    public var beatsPerMinute: Double
    /// The energy since the last reset in kilojoules; nil if it is not sent.
    public var energy: Double?
    /// The times between beats in seconds, the oldest first.
    public var intervals: [Double]
    /// Whether the sensor touches the skin; meaningful if `isContactSupported`.
    public var hasContact: Bool
    /// Whether the sensor detects contact.
    public var isContactSupported: Bool

    /// Makes a value.
    public init(
        beatsPerMinute: Double, energy: Double? = nil, intervals: [Double] = [], hasContact: Bool = false,
        isContactSupported: Bool = false
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.energy = energy
        self.intervals = intervals
        self.hasContact = hasContact
        self.isContactSupported = isContactSupported
    }

    // The rate needs 16 bits. The setter exists for the table.
    private var isWide: Bool {
        get { beatsPerMinute > 255 }
        set {}
    }

    private static let table = ValueTable<HeartRateMeasurement>(
        0x2A37, empty: HeartRateMeasurement(beatsPerMinute: 0),
        [
            .number("Heart Rate", \.beatsPerMinute),
            .optional("Energy Expended", \.energy),
            .numbers("RR-interval", \.intervals),
            .flag(1, \.hasContact),
            .flag(2, \.isContactSupported),
            .flag(0, \.isWide),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The place of a heart rate sensor.
public struct BodySensorLocation: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A38

    /// 0 is other, 1 chest, 2 wrist, 3 finger, 4 hand, 5 ear lobe, 6 foot.
    public var location: Int

    /// Makes a value.
    public init(_ location: Int) {
        self.location = location
    }

    private static let table = ValueTable<BodySensorLocation>(
        0x2A38, empty: BodySensorLocation(0),
        [
            .integer("Body Sensor Location", \.location)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// A command to a heart rate sensor.
public struct HeartRateControlPoint: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A39

    /// The number of the command, see ``resetEnergyExpended``.
    public var command: Int

    /// Sets the expended energy of ``HeartRateMeasurement`` to 0.
    public static let resetEnergyExpended = HeartRateControlPoint(1)

    /// Makes a value.
    public init(_ command: Int) {
        self.command = command
    }

    private static let table = ValueTable<HeartRateControlPoint>(
        0x2A39, empty: HeartRateControlPoint(0),
        [
            .integer("Heart Rate Control Point", \.command)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The temperature of a body.
public struct TemperatureMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A1C

    /// The temperature in °C, or in °F if `isFahrenheit`.
    public var temperature: MedicalFloat
    /// Whether the temperature is in °F.
    public var isFahrenheit: Bool
    /// When it was measured; nil if it is not sent.
    public var time: ClockTime?
    /// The place of the measurement: 1 armpit, 2 body, 3 ear, 6 mouth; nil if it is not sent.
    public var type: Int?

    /// Makes a value.
    public init(temperature: MedicalFloat, isFahrenheit: Bool = false, time: ClockTime? = nil, type: Int? = nil) {
        self.temperature = temperature
        self.isFahrenheit = isFahrenheit
        self.time = time
        self.type = type
    }

    private static let table = ValueTable<TemperatureMeasurement>(
        0x2A1C, empty: TemperatureMeasurement(temperature: MedicalFloat(0, width: .long)),
        [
            .medical("Temperature", \.temperature),
            .flag(0, \.isFahrenheit),
            .optionalDate("Time Stamp", \.time),
            .optionalInteger("Temperature Type", \.type),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The place of a temperature measurement.
public struct TemperatureType: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A1D

    /// 1 armpit, 2 body, 3 ear, 4 finger, 5 gastro-intestinal, 6 mouth, 7 rectum, 8 toe, 9 tympanum.
    public var type: Int

    /// Makes a value.
    public init(_ type: Int) {
        self.type = type
    }

    private static let table = ValueTable<TemperatureType>(
        0x2A1D, empty: TemperatureType(0),
        [
            .integer("Temperature Type Description", \.type)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The time between measurements.
public struct MeasurementInterval: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A21

    /// The time in seconds; 0 means no periodic measurement.
    public var seconds: Int

    /// Makes a value.
    public init(_ seconds: Int) {
        self.seconds = seconds
    }

    private static let table = ValueTable<MeasurementInterval>(
        0x2A21, empty: MeasurementInterval(0),
        [
            .integer("Measurement Interval", \.seconds)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
