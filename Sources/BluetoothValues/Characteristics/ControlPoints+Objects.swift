/// A command about the current object of a device, or its reply with the number 0x60.
///
/// The bytes of an object are sent over an L2CAP channel, after the reply. Offsets and lengths are in bytes.
/// Source: Object Transfer Service 1.0.
public struct ObjectActionControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AC5
    /// The name of the characteristic.
    public static let name = "Object Action Control Point"
    /// The number of the command; 0x60 for a reply.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Deletes the object.
    public static let delete = Self(opCode: 0x02)
    /// Executes the object.
    public static let execute = Self(opCode: 0x04)
    /// Ends a transfer.
    public static let abort = Self(opCode: 0x07)

    /// Makes an object of a type with a number of bytes, which becomes the current object.
    public static func create(size: Int, type: AttributeUUID) -> Self {
        let bytes: [UInt8] = type.shortNumber.map { CommandParameter.uint16(Int($0)) } ?? type.bytes.reversed()
        return Self(opCode: 0x01, parameters: CommandParameter.uint32(size) + bytes)
    }

    /// Requests the CRC-32 of a part of the object.
    public static func calculateChecksum(offset: Int, length: Int) -> Self {
        Self(opCode: 0x03, parameters: CommandParameter.uint32(offset) + CommandParameter.uint32(length))
    }

    /// Reads a part of the object.
    public static func read(offset: Int, length: Int) -> Self {
        Self(opCode: 0x05, parameters: CommandParameter.uint32(offset) + CommandParameter.uint32(length))
    }

    /// Writes a part of the object.
    ///
    /// - Parameters:
    ///   - offset: The position of the first byte of the part.
    ///   - length: The number of bytes of the part.
    ///   - isTruncating: Whether the object ends after the part. Default: false.
    public static func write(offset: Int, length: Int, isTruncating: Bool = false) -> Self {
        let part = CommandParameter.uint32(offset) + CommandParameter.uint32(length)
        return Self(opCode: 0x06, parameters: part + [isTruncating ? 0x02 : 0x00])
    }
}

/// A command that selects the current object of a device, or its reply with the number 0x70.
///
/// Source: Object Transfer Service 1.0.
public struct ObjectListControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AC6
    /// The name of the characteristic.
    public static let name = "Object List Control Point"
    /// The number of the command; 0x70 for a reply.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// What the list of objects is sorted by.
    public enum Order: UInt8, Hashable, Sendable, CaseIterable {
        /// The name.
        case name = 0x01
        /// The type.
        case type = 0x02
        /// The current size.
        case size = 0x03
        /// The time of the creation.
        case created = 0x04
        /// The time of the last change.
        case modified = 0x05
    }

    /// Selects the first object.
    public static let first = Self(opCode: 0x01)
    /// Selects the last object.
    public static let last = Self(opCode: 0x02)
    /// Selects the object before the current one.
    public static let previous = Self(opCode: 0x03)
    /// Selects the object after the current one.
    public static let next = Self(opCode: 0x04)
    /// Requests the number of objects.
    public static let requestNumberOfObjects = Self(opCode: 0x07)
    /// Removes the marks of all objects.
    public static let clearMarking = Self(opCode: 0x08)

    /// Selects an object by its Object ID (2AC3), which has 48 bits.
    public static func go(to object: UInt64) -> Self {
        Self(opCode: 0x05, parameters: CommandParameter.uint48(object))
    }

    /// Sorts the list of objects.
    public static func sort(by order: Order, isDescending: Bool = false) -> Self {
        Self(opCode: 0x06, parameters: [order.rawValue | (isDescending ? 0x10 : 0)])
    }
}
