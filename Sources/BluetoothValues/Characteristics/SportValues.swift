/// The revolutions of a bicycle's wheel and crank.
public struct CSCMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A5B

    /// The number of revolutions of the wheel; nil if it is not sent.
    public var wheelRevolutions: Double?
    /// The time of the last revolution in seconds, modulo 64; nil if it is not sent.
    public var lastWheelTime: Double?
    /// The number of revolutions of the crank; nil if it is not sent.
    public var crankRevolutions: Double?
    /// The time of the last revolution in seconds, modulo 64; nil if it is not sent.
    public var lastCrankTime: Double?

    /// Makes a value.
    public init(
        wheelRevolutions: Double? = nil, lastWheelTime: Double? = nil, crankRevolutions: Double? = nil,
        lastCrankTime: Double? = nil
    ) {
        self.wheelRevolutions = wheelRevolutions
        self.lastWheelTime = lastWheelTime
        self.crankRevolutions = crankRevolutions
        self.lastCrankTime = lastCrankTime
    }

    private static let table = ValueTable<CSCMeasurement>(
        0x2A5B, empty: CSCMeasurement(),
        [
            .optional("Cumulative Wheel Revolutions", \.wheelRevolutions),
            .optional("Last Wheel Event Time", \.lastWheelTime),
            .optional("Cumulative Crank Revolutions", \.crankRevolutions),
            .optional("Last Crank Event Time", \.lastCrankTime),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// What a speed and cadence sensor can do.
public struct CSCFeature: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A5C

    /// The bits of the features.
    public var bits: Int

    /// Makes a value.
    public init(_ bits: Int) {
        self.bits = bits
    }

    private static let table = ValueTable<CSCFeature>(
        0x2A5C, empty: CSCFeature(0),
        [
            .integer("CSC Feature", \.bits)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The place of a sensor.
public struct SensorLocation: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A5D

    /// The number of the place in the SIG's list.
    public var location: Int

    /// Makes a value.
    public init(_ location: Int) {
        self.location = location
    }

    private static let table = ValueTable<SensorLocation>(
        0x2A5D, empty: SensorLocation(0),
        [
            .integer("Sensor Location", \.location)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The speed and steps of a runner.
public struct RSCMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A53

    /// The speed in m/s.
    public var speed: Double
    /// The steps in a minute.
    public var cadence: Double
    /// The length of a stride in m; nil if it is not sent.
    public var strideLength: Double?
    /// The distance in m; nil if it is not sent.
    public var distance: Double?
    /// Whether the user runs; false if the user walks.
    public var isRunning: Bool

    /// Makes a value.
    public init(
        speed: Double, cadence: Double, strideLength: Double? = nil, distance: Double? = nil, isRunning: Bool = false
    ) {
        self.speed = speed
        self.cadence = cadence
        self.strideLength = strideLength
        self.distance = distance
        self.isRunning = isRunning
    }

    private static let table = ValueTable<RSCMeasurement>(
        0x2A53, empty: RSCMeasurement(speed: 0, cadence: 0),
        [
            .number("Instantaneous Speed", \.speed),
            .number("Instantaneous Cadence", \.cadence),
            .optional("Instantaneous Stride Length", \.strideLength),
            .optional("Total Distance", \.distance),
            .flag(2, \.isRunning),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// What a running sensor can do.
public struct RSCFeature: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A54

    /// The bits of the features.
    public var bits: Int

    /// Makes a value.
    public init(_ bits: Int) {
        self.bits = bits
    }

    private static let table = ValueTable<RSCFeature>(
        0x2A54, empty: RSCFeature(0),
        [
            .integer("RSC Feature", \.bits)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The power of a cyclist.
public struct CyclingPowerMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A63

    /// The power in watt.
    public var power: Double
    /// The share of one pedal in percent; nil if it is not sent.
    public var balance: Double?
    /// Whether the share is that of the left pedal.
    public var isBalanceOfLeft: Bool
    /// The accumulated torque in Nm; nil if it is not sent.
    public var torque: Double?
    /// Whether the torque is measured at the crank, and not at the wheel.
    public var isTorqueOfCrank: Bool
    /// The number of revolutions of the wheel; nil if it is not sent.
    public var wheelRevolutions: Double?
    /// The time of the last revolution in seconds, modulo 32; nil if it is not sent.
    public var lastWheelTime: Double?
    /// The number of revolutions of the crank; nil if it is not sent.
    public var crankRevolutions: Double?
    /// The time of the last revolution in seconds, modulo 64; nil if it is not sent.
    public var lastCrankTime: Double?
    /// The largest force in N; nil if it is not sent.
    public var maximumForce: Double?
    /// The smallest force in N; nil if it is not sent.
    public var minimumForce: Double?
    /// The largest torque in Nm; nil if it is not sent.
    public var maximumTorque: Double?
    /// The smallest torque in Nm; nil if it is not sent.
    public var minimumTorque: Double?
    /// The angle of the largest value in degrees; nil if it is not sent.
    public var maximumAngle: Int?
    /// The angle of the smallest value in degrees; nil if it is not sent.
    public var minimumAngle: Int?
    /// The angle of the top dead spot in degrees; nil if it is not sent.
    public var topDeadSpot: Double?
    /// The angle of the bottom dead spot in degrees; nil if it is not sent.
    public var bottomDeadSpot: Double?
    /// The energy in joule; nil if it is not sent.
    public var energy: Double?
    /// Whether offset compensation is due.
    public var isOffsetCompensating: Bool

    /// Makes a value.
    public init(
        power: Double, balance: Double? = nil, isBalanceOfLeft: Bool = false, torque: Double? = nil,
        isTorqueOfCrank: Bool = false, wheelRevolutions: Double? = nil, lastWheelTime: Double? = nil,
        crankRevolutions: Double? = nil, lastCrankTime: Double? = nil, maximumForce: Double? = nil,
        minimumForce: Double? = nil, maximumTorque: Double? = nil, minimumTorque: Double? = nil,
        maximumAngle: Int? = nil, minimumAngle: Int? = nil, topDeadSpot: Double? = nil, bottomDeadSpot: Double? = nil,
        energy: Double? = nil, isOffsetCompensating: Bool = false
    ) {
        self.power = power
        self.balance = balance
        self.isBalanceOfLeft = isBalanceOfLeft
        self.torque = torque
        self.isTorqueOfCrank = isTorqueOfCrank
        self.wheelRevolutions = wheelRevolutions
        self.lastWheelTime = lastWheelTime
        self.crankRevolutions = crankRevolutions
        self.lastCrankTime = lastCrankTime
        self.maximumForce = maximumForce
        self.minimumForce = minimumForce
        self.maximumTorque = maximumTorque
        self.minimumTorque = minimumTorque
        self.maximumAngle = maximumAngle
        self.minimumAngle = minimumAngle
        self.topDeadSpot = topDeadSpot
        self.bottomDeadSpot = bottomDeadSpot
        self.energy = energy
        self.isOffsetCompensating = isOffsetCompensating
    }

    private static let table = ValueTable<CyclingPowerMeasurement>(
        0x2A63, empty: CyclingPowerMeasurement(power: 0),
        [
            .number("Instantaneous Power", \.power),
            .optional("Pedal Power Balance", \.balance),
            .flag(1, \.isBalanceOfLeft),
            .optional("Accumulated Torque", \.torque),
            .flag(3, \.isTorqueOfCrank),
            .optional("Cumulative Wheel Revolutions", \.wheelRevolutions),
            .optional("Last Wheel Event Time", \.lastWheelTime),
            .optional("Cumulative Crank Revolutions", \.crankRevolutions),
            .optional("Last Crank Event Time", \.lastCrankTime),
            .optional("Maximum Force Magnitude", \.maximumForce),
            .optional("Minimum Force Magnitude", \.minimumForce),
            .optional("Maximum Torque Magnitude", \.maximumTorque),
            .optional("Minimum Torque Magnitude", \.minimumTorque),
            .optionalInteger("Maximum Angle", \.maximumAngle),
            .optionalInteger("Minimum Angle", \.minimumAngle),
            .optional("Top Dead Spot Angle", \.topDeadSpot),
            .optional("Bottom Dead Spot Angle", \.bottomDeadSpot),
            .optional("Accumulated Energy", \.energy),
            .flag(12, \.isOffsetCompensating),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// What a power sensor can do.
public struct CyclingPowerFeature: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A65

    /// The bits of the features.
    public var bits: Int

    /// Makes a value.
    public init(_ bits: Int) {
        self.bits = bits
    }

    private static let table = ValueTable<CyclingPowerFeature>(
        0x2A65, empty: CyclingPowerFeature(0),
        [
            .integer("Cycling Power Feature", \.bits)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
