/// The bytes of a control point: the number of a command, and its parameters.
private enum ControlPointBytes {
    static func decode(_ bytes: [UInt8], _ subject: String) throws(ValueDecodingError) -> (UInt8, [UInt8]) {
        guard let code = bytes.first else {
            throw ValueDecodingError(subject, .tooShort(needed: 1), bytes: bytes)
        }
        return (code, Array(bytes.dropFirst()))
    }

    static func int16(_ value: Double, per factor: Double) -> [UInt8] {
        let scaled = (value * factor).rounded()
        let bits = UInt16(bitPattern: Int16(min(max(scaled, -32_768), 32_767)))
        return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
    }

    static func uint16(_ value: Double, per factor: Double) -> [UInt8] {
        let bits = UInt16(min(max((value * factor).rounded(), 0), 65_535))
        return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
    }
}

/// A command to a fitness machine, for example a bicycle trainer, or its reply.
///
/// The machine accepts other commands after ``requestControl``, and replies with an indication.
/// Source: Fitness Machine Service 1.0, 4.16.
public struct FitnessMachineControlPoint: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AD9

    /// The number of the command; 0x80 for a reply.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) {
        self.opCode = opCode
        self.parameters = parameters
    }

    /// Requests the control of the machine.
    public static let requestControl = FitnessMachineControlPoint(opCode: 0x00)
    /// Sets the machine to its initial state.
    public static let reset = FitnessMachineControlPoint(opCode: 0x01)
    /// Starts or resumes the training.
    public static let start = FitnessMachineControlPoint(opCode: 0x07)
    /// Stops the training.
    public static let stop = FitnessMachineControlPoint(opCode: 0x08, parameters: [0x01])
    /// Pauses the training.
    public static let pause = FitnessMachineControlPoint(opCode: 0x08, parameters: [0x02])

    /// Sets the target speed in km/h.
    public static func setTargetSpeed(_ speed: Double) -> FitnessMachineControlPoint {
        FitnessMachineControlPoint(opCode: 0x02, parameters: ControlPointBytes.uint16(speed, per: 100))
    }

    /// Sets the target inclination in percent.
    public static func setTargetInclination(_ inclination: Double) -> FitnessMachineControlPoint {
        FitnessMachineControlPoint(opCode: 0x03, parameters: ControlPointBytes.int16(inclination, per: 10))
    }

    /// Sets the target power in W.
    public static func setTargetPower(_ power: Double) -> FitnessMachineControlPoint {
        FitnessMachineControlPoint(opCode: 0x05, parameters: ControlPointBytes.int16(power, per: 1))
    }

    /// Decodes a value. Throws with the reason if it is empty.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) {
        (opCode, parameters) = try ControlPointBytes.decode(bytes, "Fitness Machine Control Point")
    }

    /// Encodes the value.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { [opCode] + parameters }
}

/// A command about stored records, for example of a glucose meter, or its reply.
///
/// Source: Glucose Service 1.0.1, 3.4.
public struct RecordAccessControlPoint: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A52

    /// The number of the command; 0x05 and 0x06 for a reply.
    public var opCode: UInt8
    /// The bytes after the number: the operator, and its operand.
    public var parameters: [UInt8]

    /// Makes a command with its operator and operand.
    public init(opCode: UInt8, parameters: [UInt8] = []) {
        self.opCode = opCode
        self.parameters = parameters
    }

    /// Sends all stored records.
    public static let reportAllRecords = RecordAccessControlPoint(opCode: 0x01, parameters: [0x01])
    /// Sends the newest stored record.
    public static let reportLastRecord = RecordAccessControlPoint(opCode: 0x01, parameters: [0x06])
    /// Deletes all stored records.
    public static let deleteAllRecords = RecordAccessControlPoint(opCode: 0x02, parameters: [0x01])
    /// Ends the command in progress.
    public static let abort = RecordAccessControlPoint(opCode: 0x03, parameters: [0x00])
    /// Sends the number of all stored records.
    public static let reportNumberOfRecords = RecordAccessControlPoint(opCode: 0x04, parameters: [0x01])

    /// Decodes a value. Throws with the reason if it is empty.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) {
        (opCode, parameters) = try ControlPointBytes.decode(bytes, "Record Access Control Point")
    }

    /// Encodes the value.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { [opCode] + parameters }
}
