/// What a body consists of.
public struct BodyCompositionMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A9C

    /// The fat in percent; nil if the measurement failed.
    public var bodyFat: Double?
    /// Whether the units are lb and inches.
    public var isImperial: Bool
    /// When it was measured; nil if it is not sent.
    public var time: ClockTime?
    /// The number of the user; nil if it is not sent.
    public var user: Int?
    /// The basal metabolism in joule; nil if it is not sent.
    public var basalMetabolism: Double?
    /// The muscles in percent; nil if they are not sent.
    public var muscle: Double?
    /// The mass of muscles in kg or lb; nil if it is not sent.
    public var muscleMass: Double?
    /// The mass without fat in kg or lb; nil if it is not sent.
    public var fatFreeMass: Double?
    /// The soft lean mass in kg or lb; nil if it is not sent.
    public var softLeanMass: Double?
    /// The mass of water in kg or lb; nil if it is not sent.
    public var waterMass: Double?
    /// The impedance in ohm; nil if it is not sent.
    public var impedance: Double?
    /// The weight in kg or lb; nil if it is not sent.
    public var weight: Double?
    /// The height in m or inches; nil if it is not sent.
    public var height: Double?
    /// Whether the values are sent in several packets.
    public var isContinued: Bool

    /// Makes a value.
    public init(
        bodyFat: Double?, isImperial: Bool = false, time: ClockTime? = nil, user: Int? = nil,
        basalMetabolism: Double? = nil, muscle: Double? = nil, muscleMass: Double? = nil, fatFreeMass: Double? = nil,
        softLeanMass: Double? = nil, waterMass: Double? = nil, impedance: Double? = nil, weight: Double? = nil,
        height: Double? = nil, isContinued: Bool = false
    ) {
        self.bodyFat = bodyFat
        self.isImperial = isImperial
        self.time = time
        self.user = user
        self.basalMetabolism = basalMetabolism
        self.muscle = muscle
        self.muscleMass = muscleMass
        self.fatFreeMass = fatFreeMass
        self.softLeanMass = softLeanMass
        self.waterMass = waterMass
        self.impedance = impedance
        self.weight = weight
        self.height = height
        self.isContinued = isContinued
    }

    private static let table = ValueTable<BodyCompositionMeasurement>(
        0x2A9C, empty: BodyCompositionMeasurement(bodyFat: 0),
        [
            .optional("Body Fat Percentage", \.bodyFat),
            .flag(0, \.isImperial),
            .optionalDate("Time Stamp", \.time),
            .optionalInteger("User ID", \.user),
            .optional("Basal Metabolism", \.basalMetabolism),
            .optional("Muscle Percentage", \.muscle),
            .optional("Muscle Mass", \.muscleMass),
            .optional("Fat Free Mass", \.fatFreeMass),
            .optional("Soft Lean Mass", \.softLeanMass),
            .optional("Body Water Mass", \.waterMass),
            .optional("Impedance", \.impedance),
            .optional("Weight", \.weight),
            .optional("Height", \.height),
            .flag(12, \.isContinued),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The glucose in the blood.
public struct GlucoseMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A18

    /// The number of the measurement.
    public var sequence: Int
    /// When it was measured, before `timeOffset` is added.
    public var time: ClockTime
    /// Minutes to add to `time`; nil if they are not sent.
    public var timeOffset: Double?
    /// The concentration in kg/l, or in mol/l if `isMolar`; nil if it is not sent.
    public var concentration: MedicalFloat?
    /// Whether the concentration is in mol/l.
    public var isMolar: Bool
    /// The kind of sample; sent together with `concentration`.
    public var type: Int?
    /// The place of the sample; sent together with `concentration`.
    public var location: Int?
    /// Bits about the sensor; nil if they are not sent.
    public var status: Int?
    /// Whether a context follows.
    public var hasContext: Bool

    /// Makes a value.
    public init(
        sequence: Int, time: ClockTime, timeOffset: Double? = nil, concentration: MedicalFloat? = nil,
        isMolar: Bool = false, type: Int? = nil, location: Int? = nil, status: Int? = nil, hasContext: Bool = false
    ) {
        self.sequence = sequence
        self.time = time
        self.timeOffset = timeOffset
        self.concentration = concentration
        self.isMolar = isMolar
        self.type = type
        self.location = location
        self.status = status
        self.hasContext = hasContext
    }

    private static let table = ValueTable<GlucoseMeasurement>(
        0x2A18, empty: GlucoseMeasurement(sequence: 0, time: ClockTime()),
        [
            .integer("Sequence Number", \.sequence),
            .date("Base Time", \.time),
            .optional("Time Offset", \.timeOffset),
            .optionalMedical("Glucose Concentration", \.concentration),
            .flag(2, \.isMolar),
            .optionalInteger("Type", \.type),
            .optionalInteger("Sample Location", \.location),
            .optionalInteger("Sensor Status Annunciation", \.status),
            .flag(4, \.hasContext),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// What a glucose meter can do.
public struct GlucoseFeature: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A51

    /// The bits of the features.
    public var bits: Int

    /// Makes a value.
    public init(_ bits: Int) {
        self.bits = bits
    }

    private static let table = ValueTable<GlucoseFeature>(
        0x2A51, empty: GlucoseFeature(0),
        [
            .integer("Glucose Feature", \.bits)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// Oxygen in the blood, measured once.
public struct PulseOximeterSpotCheck: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A5E

    /// The saturation in percent.
    public var oxygenSaturation: MedicalFloat
    /// The pulse in beats in a minute.
    public var pulseRate: MedicalFloat
    /// When it was measured; nil if it is not sent.
    public var time: ClockTime?
    /// Bits about the measurement; nil if they are not sent.
    public var status: Int?
    /// Bits about device and sensor; nil if they are not sent.
    public var deviceStatus: Int?
    /// The amplitude of the pulse in percent; nil if it is not sent.
    public var amplitudeIndex: MedicalFloat?
    /// Whether the device's clock is not set.
    public var isClockNotSet: Bool

    /// Makes a value.
    public init(
        oxygenSaturation: MedicalFloat, pulseRate: MedicalFloat, time: ClockTime? = nil, status: Int? = nil,
        deviceStatus: Int? = nil, amplitudeIndex: MedicalFloat? = nil, isClockNotSet: Bool = false
    ) {
        self.oxygenSaturation = oxygenSaturation
        self.pulseRate = pulseRate
        self.time = time
        self.status = status
        self.deviceStatus = deviceStatus
        self.amplitudeIndex = amplitudeIndex
        self.isClockNotSet = isClockNotSet
    }

    private static let table = ValueTable<PulseOximeterSpotCheck>(
        0x2A5E, empty: PulseOximeterSpotCheck(oxygenSaturation: MedicalFloat(0), pulseRate: MedicalFloat(0)),
        [
            .medical("SpO2", \.oxygenSaturation),
            .medical("Pulse Rate", \.pulseRate),
            .optionalDate("Time Stamp", \.time),
            .optionalInteger("Measurement Status", \.status),
            .optionalInteger("Device and Sensor Status", \.deviceStatus),
            .optionalMedical("Pulse Amplitude Index", \.amplitudeIndex),
            .flag(4, \.isClockNotSet),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// Oxygen in the blood, measured continuously.
public struct PulseOximeterContinuous: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A5F

    /// The saturation in percent.
    public var oxygenSaturation: MedicalFloat
    /// The pulse in beats in a minute.
    public var pulseRate: MedicalFloat
    /// The saturation over a short time; nil if it is not sent.
    public var fastOxygenSaturation: MedicalFloat?
    /// The pulse over a short time; nil if it is not sent.
    public var fastPulseRate: MedicalFloat?
    /// The saturation over a long time; nil if it is not sent.
    public var slowOxygenSaturation: MedicalFloat?
    /// The pulse over a long time; nil if it is not sent.
    public var slowPulseRate: MedicalFloat?
    /// Bits about the measurement; nil if they are not sent.
    public var status: Int?
    /// Bits about device and sensor; nil if they are not sent.
    public var deviceStatus: Int?
    /// The amplitude of the pulse in percent; nil if it is not sent.
    public var amplitudeIndex: MedicalFloat?

    /// Makes a value.
    public init(
        oxygenSaturation: MedicalFloat, pulseRate: MedicalFloat, fastOxygenSaturation: MedicalFloat? = nil,
        fastPulseRate: MedicalFloat? = nil, slowOxygenSaturation: MedicalFloat? = nil,
        slowPulseRate: MedicalFloat? = nil, status: Int? = nil, deviceStatus: Int? = nil,
        amplitudeIndex: MedicalFloat? = nil
    ) {
        self.oxygenSaturation = oxygenSaturation
        self.pulseRate = pulseRate
        self.fastOxygenSaturation = fastOxygenSaturation
        self.fastPulseRate = fastPulseRate
        self.slowOxygenSaturation = slowOxygenSaturation
        self.slowPulseRate = slowPulseRate
        self.status = status
        self.deviceStatus = deviceStatus
        self.amplitudeIndex = amplitudeIndex
    }

    private static let table = ValueTable<PulseOximeterContinuous>(
        0x2A5F, empty: PulseOximeterContinuous(oxygenSaturation: MedicalFloat(0), pulseRate: MedicalFloat(0)),
        [
            .medical("SpO2", \.oxygenSaturation),
            .medical("Pulse Rate", \.pulseRate),
            .optionalMedical("Fast SpO2", \.fastOxygenSaturation),
            .optionalMedical("Fast Pulse Rate", \.fastPulseRate),
            .optionalMedical("Slow SpO2", \.slowOxygenSaturation),
            .optionalMedical("Slow Pulse Rate", \.slowPulseRate),
            .optionalInteger("Measurement Status", \.status),
            .optionalInteger("Device and Sensor Status", \.deviceStatus),
            .optionalMedical("Pulse Amplitude Index", \.amplitudeIndex),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
