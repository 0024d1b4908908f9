/// A command to a device that updates its time from a reference.
///
/// Source: Reference Time Update Service 1.0.
public struct TimeUpdateControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A16
    /// The name of the characteristic.
    public static let name = "Time Update Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Starts an update of the time.
    public static let getReferenceUpdate = Self(opCode: 0x01)
    /// Cancels the update of the time.
    public static let cancelReferenceUpdate = Self(opCode: 0x02)
}

/// A command to an input device, for example a keyboard.
///
/// Source: HID Service 1.0.
public struct HIDControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A4C
    /// The name of the characteristic.
    public static let name = "HID Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Reports that the host suspends, so that the device can save power.
    public static let suspend = Self(opCode: 0x00)
    /// Reports that the host has resumed.
    public static let exitSuspend = Self(opCode: 0x01)
}

/// A command about the bonds that a device stores.
///
/// Source: Bond Management Service 1.0.
public struct BondManagementControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AA4
    /// The name of the characteristic.
    public static let name = "Bond Management Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number: the authorisation code, if the device requires one.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// The bonds that are deleted.
    ///
    /// The raw value is the number of the command for both transports.
    public enum Bonds: UInt8, Hashable, Sendable, CaseIterable {
        /// The bond of the device that sends the command.
        case requestingDevice = 0x01
        /// All bonds.
        case all = 0x04
        /// All bonds except the one of the device that sends the command.
        case allButActive = 0x07
    }

    /// The transport of the bonds.
    public enum Transport: UInt8, Hashable, Sendable, CaseIterable {
        /// BR/EDR and LE.
        case both = 0
        /// BR/EDR.
        case classic = 1
        /// LE.
        case lowEnergy = 2
    }

    /// Deletes bonds.
    public static func delete(
        _ bonds: Bonds, on transport: Transport = .lowEnergy, authorizationCode: [UInt8] = []
    ) -> Self {
        Self(opCode: bonds.rawValue + transport.rawValue, parameters: authorizationCode)
    }
}

/// A command to a device that sends HTTP requests for others.
///
/// The request consists of URI (2AB6), HTTP Headers (2AB7) and HTTP Entity Body (2AB9), which are written before.
/// Source: HTTP Proxy Service 1.0.
public struct HTTPControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2ABA
    /// The name of the characteristic.
    public static let name = "HTTP Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// A method of HTTP.
    ///
    /// The raw value is the number of the command without TLS.
    public enum Method: UInt8, Hashable, Sendable, CaseIterable {
        /// GET.
        case get = 0x01
        /// HEAD.
        case head = 0x02
        /// POST.
        case post = 0x03
        /// PUT.
        case put = 0x04
        /// DELETE.
        case delete = 0x05
    }

    /// Cancels the request.
    public static let cancelRequest = Self(opCode: 0x0B)

    /// Sends a request over HTTP, or over HTTPS.
    public static func request(_ method: Method, isSecure: Bool = false) -> Self {
        Self(opCode: method.rawValue + (isSecure ? 5 : 0))
    }
}

/// A command about the other transports of a device, for example BR/EDR, or its reply with the number of the command.
///
/// Source: Transport Discovery Service 1.0.
public struct TransportDiscoveryControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2ABC
    /// The name of the characteristic.
    public static let name = "TDS Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number: the organisation, and the bytes that it defines.
    ///
    /// In a reply, the first byte is the result.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Activates a transport of an organisation, a number of the SIG's list; 1 is the Bluetooth SIG.
    public static func activateTransport(organization: UInt8 = 1, parameters: [UInt8] = []) -> Self {
        Self(opCode: 0x01, parameters: [organization] + parameters)
    }
}
