/// A command about the volume of a device, for example of a headset.
///
/// A command has the change counter of Volume State (2B7D); the device refuses one with another counter.
/// Source: Volume Control Service 1.0.
public struct VolumeControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2B7E
    /// The name of the characteristic.
    public static let name = "Volume Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number: the change counter, and the volume for one command.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Lowers the volume by the step of the device. A muted device stays muted.
    public static func lower(counter: UInt8) -> Self { Self(opCode: 0x00, parameters: [counter]) }
    /// Raises the volume by the step of the device. A muted device stays muted.
    public static func raise(counter: UInt8) -> Self { Self(opCode: 0x01, parameters: [counter]) }
    /// Lowers the volume by the step of the device, and turns the sound on.
    public static func unmuteAndLower(counter: UInt8) -> Self { Self(opCode: 0x02, parameters: [counter]) }
    /// Raises the volume by the step of the device, and turns the sound on.
    public static func unmuteAndRaise(counter: UInt8) -> Self { Self(opCode: 0x03, parameters: [counter]) }
    /// Turns the sound on.
    public static func unmute(counter: UInt8) -> Self { Self(opCode: 0x05, parameters: [counter]) }
    /// Turns the sound off.
    public static func mute(counter: UInt8) -> Self { Self(opCode: 0x06, parameters: [counter]) }

    /// Sets the volume, from 0 to 255.
    public static func setVolume(_ volume: Int, counter: UInt8) -> Self {
        Self(opCode: 0x04, parameters: [counter] + CommandParameter.uint8(volume))
    }
}

/// A command about the volume of one output, relative to the volume of the device.
///
/// A command has the change counter of Volume Offset State (2B80); the device refuses one with another counter.
/// Source: Volume Offset Control Service 1.0.
public struct VolumeOffsetControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2B82
    /// The name of the characteristic.
    public static let name = "Volume Offset Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number: the change counter and the offset.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Sets the offset, from -255 to 255.
    public static func setOffset(_ offset: Int, counter: UInt8) -> Self {
        let limited = Double(max(-255, min(255, offset)))
        return Self(opCode: 0x01, parameters: [counter] + CommandParameter.int16(limited, per: 1))
    }
}

/// A command about an audio input of a device, for example its microphone.
///
/// A command has the change counter of Audio Input State (2B77); the device refuses one with another counter.
/// Source: Audio Input Control Service 1.0.
public struct AudioInputControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2B7B
    /// The name of the characteristic.
    public static let name = "Audio Input Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number: the change counter, and the gain for one command.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Turns the input on.
    public static func unmute(counter: UInt8) -> Self { Self(opCode: 0x02, parameters: [counter]) }
    /// Turns the input off.
    public static func mute(counter: UInt8) -> Self { Self(opCode: 0x03, parameters: [counter]) }
    /// Makes the gain follow ``setGain(_:counter:)`` only.
    public static func setManualGainMode(counter: UInt8) -> Self { Self(opCode: 0x04, parameters: [counter]) }
    /// Makes the device choose the gain.
    public static func setAutomaticGainMode(counter: UInt8) -> Self { Self(opCode: 0x05, parameters: [counter]) }

    /// Sets the gain, from -128 to 127 in the steps of Gain Settings Attribute (2B78).
    public static func setGain(_ gain: Int, counter: UInt8) -> Self {
        Self(opCode: 0x01, parameters: [counter] + CommandParameter.int8(gain))
    }
}
