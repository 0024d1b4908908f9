/// A command to a device with a position, for example a bicycle computer, or its reply with the number 0x20.
///
/// Source: Location and Navigation Service 1.0.
public struct LocationNavigationControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A6B
    /// The name of the characteristic.
    public static let name = "LN Control Point"
    /// The number of the command; 0x20 for a reply.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// What a device does with a route.
    public enum Navigation: UInt8, Hashable, Sendable, CaseIterable {
        /// Ends the navigation.
        case stop = 0
        /// Begins the navigation at the first waypoint of the route.
        case start = 1
        /// Interrupts the navigation.
        case pause = 2
        /// Continues the navigation at the waypoint at which it was interrupted.
        case resume = 3
        /// Leaves out the next waypoint.
        case skipWaypoint = 4
        /// Continues the navigation at the nearest waypoint of the route.
        case selectNearestWaypoint = 5
    }

    /// Requests the number of routes.
    public static let requestNumberOfRoutes = Self(opCode: 0x04)

    /// Sets the total distance in m, from 0 to 1,677,721.5 in steps of 0.1 m.
    public static func setTotalDistance(_ distance: Double) -> Self {
        Self(opCode: 0x01, parameters: CommandParameter.uint24(distance, per: 10))
    }

    /// Turns off fields of Location and Speed (2A67): bit 0 is the speed, bit 6 the time.
    public static func maskFields(_ mask: UInt16) -> Self {
        Self(opCode: 0x02, parameters: CommandParameter.uint16(Int(mask)))
    }

    /// Controls the navigation.
    public static func navigate(_ command: Navigation) -> Self {
        Self(opCode: 0x03, parameters: [command.rawValue])
    }

    /// Requests the name of a route by its number.
    public static func requestNameOfRoute(_ number: Int) -> Self {
        Self(opCode: 0x05, parameters: CommandParameter.uint16(number))
    }

    /// Selects the route for the navigation by its number.
    public static func selectRoute(_ number: Int) -> Self {
        Self(opCode: 0x06, parameters: CommandParameter.uint16(number))
    }

    /// Sets the time between two positions in seconds, from 0 to 255.
    public static func setFixRate(_ seconds: Int) -> Self {
        Self(opCode: 0x07, parameters: CommandParameter.uint8(seconds))
    }

    /// Sets the elevation in m, from -83,886.08 to 83,886.07.
    public static func setElevation(_ elevation: Double) -> Self {
        Self(opCode: 0x08, parameters: CommandParameter.int24(elevation, per: 100))
    }
}

/// A command about the users of a device, for example of a scale, or its reply with the number 0x20.
///
/// Source: User Data Service 1.0.
public struct UserControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A9F
    /// The name of the characteristic.
    public static let name = "User Control Point"
    /// The number of the command; 0x20 for a reply.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Deletes the data of the user that has consented.
    public static let deleteUserData = Self(opCode: 0x03)

    /// Registers a new user with a consent code from 0 to 9,999. The reply has the number of the user.
    public static func registerUser(consentCode: Int) -> Self {
        Self(opCode: 0x01, parameters: CommandParameter.uint16(consentCode))
    }

    /// Consents to access to the data of a user. The consent code is the one of the registration.
    public static func consent(user: UInt8, consentCode: Int) -> Self {
        Self(opCode: 0x02, parameters: [user] + CommandParameter.uint16(consentCode))
    }
}
