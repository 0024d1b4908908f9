/// The pressure of the blood.
public struct BloodPressureMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A35

    /// The systolic pressure in mmHg, or in kPa if `isKilopascal`.
    public var systolic: MedicalFloat
    /// The diastolic pressure.
    public var diastolic: MedicalFloat
    /// The mean arterial pressure.
    public var meanArterial: MedicalFloat
    /// Whether the pressures are in kPa.
    public var isKilopascal: Bool
    /// When it was measured; nil if it is not sent.
    public var time: ClockTime?
    /// The pulse in beats in a minute; nil if it is not sent.
    public var pulseRate: MedicalFloat?
    /// The number of the user; nil if it is not sent.
    public var user: Int?
    /// Bits about movement, cuff and pulse; nil if they are not sent.
    public var status: Int?

    /// Makes a value.
    public init(
        systolic: MedicalFloat, diastolic: MedicalFloat, meanArterial: MedicalFloat, isKilopascal: Bool = false,
        time: ClockTime? = nil, pulseRate: MedicalFloat? = nil, user: Int? = nil, status: Int? = nil
    ) {
        self.systolic = systolic
        self.diastolic = diastolic
        self.meanArterial = meanArterial
        self.isKilopascal = isKilopascal
        self.time = time
        self.pulseRate = pulseRate
        self.user = user
        self.status = status
    }

    private static let table = ValueTable<BloodPressureMeasurement>(
        0x2A35,
        empty: BloodPressureMeasurement(
            systolic: MedicalFloat(0), diastolic: MedicalFloat(0), meanArterial: MedicalFloat(0)),
        [
            .medical("Systolic", \.systolic),
            .medical("Diastolic", \.diastolic),
            .medical("Mean Arterial Pressure", \.meanArterial),
            .flag(0, \.isKilopascal),
            .optionalDate("Time Stamp", \.time),
            .optionalMedical("Pulse Rate", \.pulseRate),
            .optionalInteger("User ID", \.user),
            .optionalInteger("Measurement Status", \.status),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The pressure of the cuff during a measurement.
public struct IntermediateCuffPressure: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A36

    /// The pressure in mmHg, or in kPa if `isKilopascal`.
    public var pressure: MedicalFloat
    /// Whether the pressure is in kPa.
    public var isKilopascal: Bool
    /// A field without a use, normally NaN.
    public var unusedDiastolic: MedicalFloat
    /// A field without a use, normally NaN.
    public var unusedMean: MedicalFloat
    /// When it was measured; nil if it is not sent.
    public var time: ClockTime?
    /// The pulse in beats in a minute; nil if it is not sent.
    public var pulseRate: MedicalFloat?
    /// The number of the user; nil if it is not sent.
    public var user: Int?
    /// Bits about movement, cuff and pulse; nil if they are not sent.
    public var status: Int?

    /// Makes a value.
    public init(
        pressure: MedicalFloat, isKilopascal: Bool = false, unusedDiastolic: MedicalFloat, unusedMean: MedicalFloat,
        time: ClockTime? = nil, pulseRate: MedicalFloat? = nil, user: Int? = nil, status: Int? = nil
    ) {
        self.pressure = pressure
        self.isKilopascal = isKilopascal
        self.unusedDiastolic = unusedDiastolic
        self.unusedMean = unusedMean
        self.time = time
        self.pulseRate = pulseRate
        self.user = user
        self.status = status
    }

    private static let table = ValueTable<IntermediateCuffPressure>(
        0x2A36,
        empty: IntermediateCuffPressure(
            pressure: MedicalFloat(0), unusedDiastolic: MedicalFloat(0), unusedMean: MedicalFloat(0)),
        [
            .medical("Current Cuff Pressure", \.pressure),
            .flag(0, \.isKilopascal),
            .medical("Diastolic (unused)", \.unusedDiastolic),
            .medical("Mean Arterial Pressure (unused)", \.unusedMean),
            .optionalDate("Time Stamp", \.time),
            .optionalMedical("Pulse Rate", \.pulseRate),
            .optionalInteger("User ID", \.user),
            .optionalInteger("Measurement Status", \.status),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// What a blood pressure device can do.
public struct BloodPressureFeature: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A49

    /// The bits of the features.
    public var bits: Int

    /// Makes a value.
    public init(_ bits: Int) {
        self.bits = bits
    }

    private static let table = ValueTable<BloodPressureFeature>(
        0x2A49, empty: BloodPressureFeature(0),
        [
            .integer("Blood Pressure Feature", \.bits)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The weight of a body.
public struct WeightMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A9D

    /// The weight in kg, or in lb if `isImperial`; nil if the measurement failed.
    public var weight: Double?
    /// Whether the units are lb and inches.
    public var isImperial: Bool
    /// When it was measured; nil if it is not sent.
    public var time: ClockTime?
    /// The number of the user; nil if it is not sent.
    public var user: Int?
    /// The body mass index in kg/m²; sent together with `height`.
    public var bodyMassIndex: Double?
    /// The height in m, or in inches if `isImperial`; sent together with `bodyMassIndex`.
    public var height: Double?

    /// Makes a value.
    public init(
        weight: Double?, isImperial: Bool = false, time: ClockTime? = nil, user: Int? = nil,
        bodyMassIndex: Double? = nil, height: Double? = nil
    ) {
        self.weight = weight
        self.isImperial = isImperial
        self.time = time
        self.user = user
        self.bodyMassIndex = bodyMassIndex
        self.height = height
    }

    private static let table = ValueTable<WeightMeasurement>(
        0x2A9D, empty: WeightMeasurement(weight: 0),
        [
            .optional("Weight", \.weight),
            .flag(0, \.isImperial),
            .optionalDate("Time Stamp", \.time),
            .optionalInteger("User ID", \.user),
            .optional("BMI", \.bodyMassIndex),
            .optional("Height", \.height),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// What a scale can do.
public struct WeightScaleFeature: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A9E

    /// The bits of the features.
    public var bits: Int

    /// Makes a value.
    public init(_ bits: Int) {
        self.bits = bits
    }

    private static let table = ValueTable<WeightScaleFeature>(
        0x2A9E, empty: WeightScaleFeature(0),
        [
            .integer("Weight Scale Feature", \.bits)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
