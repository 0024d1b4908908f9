/// A characteristic that takes commands: the number of a command, and its parameters.
///
/// A device replies with an indication or a notification of the same characteristic. Most replies have an ``opCode``
/// of their own. Those of ``MediaControlPoint``, ``CallControlPoint`` and ``TransportDiscoveryControlPoint`` begin with
/// the number of the command.
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
enum CommandParameter {
    static func uint8(_ value: Double, per factor: Double) -> [UInt8] { [nearest(value * factor)] }

    static func uint8(_ value: Int) -> [UInt8] { [UInt8(clamping: value)] }

    static func int8(_ value: Int) -> [UInt8] { [UInt8(bitPattern: Int8(clamping: value))] }

    static func int16(_ value: Double, per factor: Double) -> [UInt8] {
        bytes(UInt16(bitPattern: nearest(value * factor)))
    }

    static func uint16(_ value: Double, per factor: Double) -> [UInt8] {
        let number: UInt16 = nearest(value * factor)
        return bytes(number)
    }

    static func uint16(_ value: Int) -> [UInt8] { bytes(UInt16(clamping: value)) }

    static func int24(_ value: Double, per factor: Double) -> [UInt8] {
        let number: Int32 = nearest(value * factor)
        return Array(bytes(max(-0x80_0000, min(0x7F_FFFF, number))).prefix(3))
    }

    static func uint24(_ value: Double, per factor: Double) -> [UInt8] {
        let number: UInt32 = nearest(value * factor)
        return Array(bytes(min(0xFF_FFFF, number)).prefix(3))
    }

    static func uint32(_ value: Int) -> [UInt8] { bytes(UInt32(clamping: value)) }

    static func int32(_ value: Double, per factor: Double) -> [UInt8] {
        let number: Int32 = nearest(value * factor)
        return bytes(number)
    }

    static func int32(_ value: Int) -> [UInt8] { bytes(Int32(clamping: value)) }

    static func uint48(_ value: UInt64) -> [UInt8] { Array(bytes(min(0xFFFF_FFFF_FFFF, value)).prefix(6)) }

    /// A medical number with one decimal place.
    static func sfloat(_ value: Double) -> [UInt8] {
        bytes(UInt16(truncatingIfNeeded: MedicalFloat(value.isNaN ? 0 : value, decimals: 1).rawValue))
    }

    static func time(_ time: ClockTime) -> [UInt8] {
        uint16(time.year) + [time.month, time.day, time.hour, time.minute, time.second].map { UInt8(clamping: $0) }
    }

    private static func nearest<Number: FixedWidthInteger>(_ value: Double) -> Number {
        value.isNaN ? 0 : Number(min(max(value.rounded(), Double(Number.min)), Double(Number.max)))
    }

    /// The bytes of a number, the least significant one first.
    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
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
        Self(opCode: 0x02, parameters: CommandParameter.uint16(speed, per: 100))
    }

    /// Sets the target inclination in percent.
    public static func setTargetInclination(_ inclination: Double) -> Self {
        Self(opCode: 0x03, parameters: CommandParameter.int16(inclination, per: 10))
    }

    /// Sets the target level of resistance, from 0 to 25.5 in steps of 0.1.
    ///
    /// A machine with higher levels expects two bytes, which `init(opCode:parameters:)` makes.
    public static func setTargetResistance(_ level: Double) -> Self {
        Self(opCode: 0x04, parameters: CommandParameter.uint8(level, per: 10))
    }

    /// Sets the target power in W.
    public static func setTargetPower(_ power: Double) -> Self {
        Self(opCode: 0x05, parameters: CommandParameter.int16(power, per: 1))
    }

    /// Sets the target heart rate in beats per minute, from 0 to 255.
    public static func setTargetHeartRate(_ beatsPerMinute: Int) -> Self {
        Self(opCode: 0x06, parameters: CommandParameter.uint8(beatsPerMinute))
    }

    /// Sets what an indoor bike simulates.
    ///
    /// - Parameters:
    ///   - windSpeed: The wind from the front in m/s, from -32.768 to 32.767. Wind from behind is negative.
    ///   - grade: The slope in percent, from -327.68 to 327.67. A descent is negative.
    ///   - rollingResistance: The coefficient of rolling resistance, from 0 to 0.0255.
    ///   - windResistance: The coefficient of wind resistance in kg/m, from 0 to 2.55.
    public static func setBikeSimulation(
        windSpeed: Double, grade: Double, rollingResistance: Double, windResistance: Double
    ) -> Self {
        let moving = CommandParameter.int16(windSpeed, per: 1000) + CommandParameter.int16(grade, per: 100)
        let resisting =
            CommandParameter.uint8(rollingResistance, per: 10_000) + CommandParameter.uint8(windResistance, per: 100)
        return Self(opCode: 0x11, parameters: moving + resisting)
    }
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
        Self(opCode: 0x01, parameters: CommandParameter.uint32(count))
    }

    /// Sets the length of the crank in mm, in steps of 0.5 mm.
    public static func setCrankLength(_ length: Double) -> Self {
        Self(opCode: 0x04, parameters: CommandParameter.uint16(length, per: 2))
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
        Self(opCode: 0x01, parameters: CommandParameter.uint32(value))
    }

    /// Sets the place of the sensor, a value of Sensor Location (2A5D).
    public static func setSensorLocation(_ location: UInt8) -> Self { Self(opCode: 0x03, parameters: [location]) }
}
