/// A characteristic that takes commands: the number of a command, and its parameters.
///
/// A device replies with an indication or a notification of the same characteristic. Replies have an ``opCode`` of
/// their own.
///
///     let bytes = try FitnessMachineControlPoint.setTargetPower(180).encoded() // [0x05, 0xB4, 0x00]
public protocol ControlPoint: CharacteristicValue {
    /// The name of the characteristic, for errors.
    static var name: String { get }
    /// The number of the command or of the reply.
    var opCode: UInt8 { get set }
    /// The bytes after the number.
    var parameters: [UInt8] { get set }

    /// Makes a command with its parameters.
    init(opCode: UInt8, parameters: [UInt8])
}

extension ControlPoint {
    /// Decodes a value. Throws with the reason if it is empty.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) {
        guard let code = bytes.first else {
            throw ValueDecodingError(Self.name, .tooShort(needed: 1), bytes: bytes)
        }
        self.init(opCode: code, parameters: Array(bytes.dropFirst()))
    }

    /// Encodes the value.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { [opCode] + parameters }
}

/// Parameters of commands. A number beyond the range of its field becomes the nearest one, and NaN becomes 0.
private enum Parameter {
    static func int16(_ value: Double, per factor: Double) -> [UInt8] {
        bytes(UInt16(bitPattern: nearest(value * factor)))
    }

    static func uint16(_ value: Double, per factor: Double) -> [UInt8] { bytes(nearest(value * factor)) }

    private static func nearest<Number: FixedWidthInteger>(_ value: Double) -> Number {
        value.isNaN ? 0 : Number(min(max(value.rounded(), Double(Number.min)), Double(Number.max)))
    }

    static func uint32(_ value: Int) -> [UInt8] {
        let number = UInt32(clamping: value)
        return bytes(UInt16(truncatingIfNeeded: number)) + bytes(UInt16(truncatingIfNeeded: number >> 16))
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }
}

/// A command to a fitness machine, for example a bicycle trainer, or its reply with the number 0x80.
///
/// The machine accepts other commands after ``requestControl``, and replies with an indication.
/// Source: Fitness Machine Service 1.0, 4.16.
public struct FitnessMachineControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AD9
    /// The name of the characteristic.
    public static let name = "Fitness Machine Control Point"
    /// The number of the command; 0x80 for a reply.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Requests the control of the machine.
    public static let requestControl = Self(opCode: 0x00)
    /// Sets the machine to its initial state.
    public static let reset = Self(opCode: 0x01)
    /// Starts or resumes the training.
    public static let start = Self(opCode: 0x07)
    /// Stops the training.
    public static let stop = Self(opCode: 0x08, parameters: [0x01])
    /// Pauses the training.
    public static let pause = Self(opCode: 0x08, parameters: [0x02])

    /// Sets the target speed in km/h.
    public static func setTargetSpeed(_ speed: Double) -> Self {
        Self(opCode: 0x02, parameters: Parameter.uint16(speed, per: 100))
    }

    /// Sets the target inclination in percent.
    public static func setTargetInclination(_ inclination: Double) -> Self {
        Self(opCode: 0x03, parameters: Parameter.int16(inclination, per: 10))
    }

    /// Sets the target power in W.
    public static func setTargetPower(_ power: Double) -> Self {
        Self(opCode: 0x05, parameters: Parameter.int16(power, per: 1))
    }
}

/// A command about stored records, for example of a glucose meter, or its reply with the number 0x05 or 0x06.
///
/// The parameters are the operator and its operand. Source: Glucose Service 1.0.1, 3.4.
public struct RecordAccessControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A52
    /// The name of the characteristic.
    public static let name = "Record Access Control Point"
    /// The number of the command; 0x05 and 0x06 for a reply.
    public var opCode: UInt8
    /// The bytes after the number: the operator, and its operand.
    public var parameters: [UInt8]

    /// Makes a command with its operator and operand.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Sends all stored records.
    public static let reportAllRecords = Self(opCode: 0x01, parameters: [0x01])
    /// Sends the newest stored record.
    public static let reportLastRecord = Self(opCode: 0x01, parameters: [0x06])
    /// Deletes all stored records.
    public static let deleteAllRecords = Self(opCode: 0x02, parameters: [0x01])
    /// Ends the command in progress.
    public static let abort = Self(opCode: 0x03, parameters: [0x00])
    /// Sends the number of all stored records.
    public static let reportNumberOfRecords = Self(opCode: 0x04, parameters: [0x01])
}

/// A command to a bicycle power meter, or its reply with the number 0x20.
///
/// Source: Cycling Power Service 1.1, 3.4.
public struct CyclingPowerControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A66
    /// The name of the characteristic.
    public static let name = "Cycling Power Control Point"
    /// The number of the command; 0x20 for a reply.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Requests the length of the crank.
    public static let requestCrankLength = Self(opCode: 0x05)
    /// Starts the compensation of the offset. The crank must be as the manual of the device says.
    public static let startOffsetCompensation = Self(opCode: 0x0C)

    /// Sets the number of wheel revolutions since the beginning.
    public static func setWheelRevolutions(_ count: Int) -> Self {
        Self(opCode: 0x01, parameters: Parameter.uint32(count))
    }

    /// Sets the length of the crank in mm, in steps of 0.5 mm.
    public static func setCrankLength(_ length: Double) -> Self {
        Self(opCode: 0x04, parameters: Parameter.uint16(length, per: 2))
    }
}

/// A command to a speed or cadence sensor of a bicycle or a runner, or its reply with the number 0x10.
///
/// Source: Cycling Speed and Cadence Service 1.0, 3.4, and Running Speed and Cadence Service 1.0, 3.4.
public struct SpeedCadenceControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A55
    /// The name of the characteristic.
    public static let name = "SC Control Point"
    /// The number of the command; 0x10 for a reply.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Starts the calibration of the sensor.
    public static let startCalibration = Self(opCode: 0x02)
    /// Requests the places at which the sensor can be worn.
    public static let requestSensorLocations = Self(opCode: 0x04)

    /// Sets the total value: wheel revolutions of a bicycle, or the distance of a runner in 1/10 m.
    public static func setCumulativeValue(_ value: Int) -> Self {
        Self(opCode: 0x01, parameters: Parameter.uint32(value))
    }

    /// Sets the place of the sensor, a value of Sensor Location (2A5D).
    public static func setSensorLocation(_ location: UInt8) -> Self { Self(opCode: 0x03, parameters: [location]) }
}
