/// A command to a media player, or the result that the player notifies with the number of the command.
///
/// The supported commands are the bits of Media Control Point Opcodes Supported (2BA5).
/// Source: Media Control Service 1.0.
public struct MediaControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2BA4
    /// The name of the characteristic.
    public static let name = "Media Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// What a command selects: a segment of the track, a track of the group, or a group.
    ///
    /// The raw value is the number of the command that selects the previous one.
    public enum Part: UInt8, Hashable, Sendable, CaseIterable {
        /// A segment of the current track.
        case segment = 0x20
        /// A track of the current group.
        case track = 0x30
        /// A group.
        case group = 0x40
    }

    /// Plays the current track.
    public static let play = Self(opCode: 0x01)
    /// Pauses at the current position.
    public static let pause = Self(opCode: 0x02)
    /// Moves backwards fast.
    public static let fastRewind = Self(opCode: 0x03)
    /// Moves forwards fast.
    public static let fastForward = Self(opCode: 0x04)
    /// Stops, and returns to the beginning of the track.
    public static let stop = Self(opCode: 0x05)

    /// Moves the position by seconds, in steps of 0.01 s. Negative seconds are backwards.
    public static func move(by seconds: Double) -> Self {
        Self(opCode: 0x10, parameters: CommandParameter.int32(seconds, per: 100))
    }

    /// Selects the previous segment, track or group.
    public static func previous(_ part: Part) -> Self { Self(opCode: part.rawValue) }
    /// Selects the next segment, track or group.
    public static func next(_ part: Part) -> Self { Self(opCode: part.rawValue + 1) }
    /// Selects the first segment, track or group.
    public static func first(_ part: Part) -> Self { Self(opCode: part.rawValue + 2) }
    /// Selects the last segment, track or group.
    public static func last(_ part: Part) -> Self { Self(opCode: part.rawValue + 3) }

    /// Selects a segment, track or group by its number from 1 on. Negative numbers count from the end.
    public static func go(to part: Part, number: Int) -> Self {
        Self(opCode: part.rawValue + 4, parameters: CommandParameter.int32(number))
    }
}

/// A command about the calls of a phone, or the result that the phone notifies with the number of the command.
///
/// A call has the index that Call State (2BBD) lists. Source: Telephone Bearer Service 1.0.
public struct CallControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2BBE
    /// The name of the characteristic.
    public static let name = "Call Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Accepts an incoming call.
    public static func accept(call index: UInt8) -> Self { Self(opCode: 0x00, parameters: [index]) }
    /// Ends a call, or rejects an incoming one.
    public static func terminate(call index: UInt8) -> Self { Self(opCode: 0x01, parameters: [index]) }
    /// Puts a call on hold.
    public static func hold(call index: UInt8) -> Self { Self(opCode: 0x02, parameters: [index]) }
    /// Continues a call that was put on hold.
    public static func retrieve(call index: UInt8) -> Self { Self(opCode: 0x03, parameters: [index]) }
    /// Joins calls to a conference.
    public static func join(calls indices: [UInt8]) -> Self { Self(opCode: 0x05, parameters: indices) }

    /// Begins a call to a URI, for example `tel:+4930123456`.
    public static func originate(_ uri: String) -> Self { Self(opCode: 0x04, parameters: Array(uri.utf8)) }
}

/// A command about the presets of a hearing aid, or its indication with the number 0x02 or 0x03.
///
/// A preset has an index from 1 to 255. The synchronised commands also change the other hearing aid of a pair.
/// Source: Hearing Access Service 1.0.
public struct HearingAidPresetControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2BDB
    /// The name of the characteristic.
    public static let name = "Hearing Aid Preset Control Point"
    /// The number of the command; 0x02 and 0x03 for an indication.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Requests presets in the order of their indices: at most a number of them, from an index on.
    public static func readPresets(from index: UInt8 = 1, count: Int = 255) -> Self {
        Self(opCode: 0x01, parameters: [index, UInt8(max(1, min(255, count)))])
    }

    /// Sets the name of a preset; nil if the name does not have 1 to 40 bytes in UTF-8.
    public static func setName(_ name: String, ofPreset index: UInt8) -> Self? {
        (1...40).contains(name.utf8.count) ? Self(opCode: 0x04, parameters: [index] + name.utf8) : nil
    }

    /// Activates a preset.
    public static func activate(preset index: UInt8, isSynchronized: Bool = false) -> Self {
        Self(opCode: isSynchronized ? 0x08 : 0x05, parameters: [index])
    }

    /// Activates the next available preset.
    public static func activateNext(isSynchronized: Bool = false) -> Self {
        Self(opCode: isSynchronized ? 0x09 : 0x06)
    }

    /// Activates the previous available preset.
    public static func activatePrevious(isSynchronized: Bool = false) -> Self {
        Self(opCode: isSynchronized ? 0x0A : 0x07)
    }
}
