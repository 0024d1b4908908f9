/// A command to a continuous glucose monitor, or its reply.
///
/// A device that protects its values with a CRC (E2E-CRC) also expects one after the parameters. Glucose is in mg/dL.
/// Source: Continuous Glucose Monitoring Service 1.0.
public struct CGMSpecificOpsControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AAC
    /// The name of the characteristic.
    public static let name = "CGM Specific Ops Control Point"
    /// The number of the command; 0x1C for a reply without a value.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// A limit at which the device alerts.
    ///
    /// The raw value is the number of the command that sets it.
    public enum Alert: UInt8, Hashable, Sendable, CaseIterable {
        /// More glucose than the patient should have, in mg/dL.
        case patientHigh = 0x07
        /// Less glucose than the patient should have, in mg/dL.
        case patientLow = 0x0A
        /// Hypoglycaemia, in mg/dL.
        case hypo = 0x0D
        /// Hyperglycaemia, in mg/dL.
        case hyper = 0x10
        /// How fast glucose falls, in mg/dL a minute.
        case rateOfDecrease = 0x13
        /// How fast glucose rises, in mg/dL a minute.
        case rateOfIncrease = 0x16
    }

    /// Requests the time between two measurements that the device sends.
    public static let requestCommunicationInterval = Self(opCode: 0x02)
    /// Ends a device-specific alert.
    public static let resetDeviceSpecificAlert = Self(opCode: 0x19)
    /// Starts the session.
    public static let startSession = Self(opCode: 0x1A)
    /// Stops the session.
    public static let stopSession = Self(opCode: 0x1B)

    /// Sets the time between two measurements that the device sends, in minutes.
    ///
    /// 0 turns them off, and 255 is as often as the device can.
    public static func setCommunicationInterval(_ minutes: Int) -> Self {
        Self(opCode: 0x01, parameters: CommandParameter.uint8(minutes))
    }

    /// Requests the record of a calibration. 65,535 is the last one.
    public static func requestCalibration(record: Int) -> Self {
        Self(opCode: 0x05, parameters: CommandParameter.uint16(record))
    }

    /// Sets the limit of an alert, in steps of 0.1 up to 204.5 and in larger ones above.
    public static func setLimit(_ limit: Double, of alert: Alert) -> Self {
        Self(opCode: alert.rawValue, parameters: CommandParameter.sfloat(limit))
    }

    /// Requests the limit of an alert.
    public static func requestLimit(of alert: Alert) -> Self { Self(opCode: alert.rawValue + 1) }
}

/// A command about the alerts of a phone, which it sends as New Alert and Unread Alert Status.
///
/// A category is a value of Alert Category ID (2A43); 255 means all. Source: Alert Notification Service 1.0.
public struct AlertNotificationControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A44
    /// The name of the characteristic.
    public static let name = "Alert Notification Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Turns on New Alert (2A46).
    public static func enableNewAlerts(category: UInt8 = 0xFF) -> Self { Self(opCode: 0, parameters: [category]) }
    /// Turns on Unread Alert Status (2A45).
    public static func enableUnreadStatus(category: UInt8 = 0xFF) -> Self { Self(opCode: 1, parameters: [category]) }
    /// Turns off New Alert (2A46).
    public static func disableNewAlerts(category: UInt8 = 0xFF) -> Self { Self(opCode: 2, parameters: [category]) }
    /// Turns off Unread Alert Status (2A45).
    public static func disableUnreadStatus(category: UInt8 = 0xFF) -> Self { Self(opCode: 3, parameters: [category]) }
    /// Sends New Alert (2A46) at once.
    public static func sendNewAlerts(category: UInt8 = 0xFF) -> Self { Self(opCode: 4, parameters: [category]) }
    /// Sends Unread Alert Status (2A45) at once.
    public static func sendUnreadStatus(category: UInt8 = 0xFF) -> Self { Self(opCode: 5, parameters: [category]) }
}

/// A command about the ringer of a phone.
///
/// Source: Phone Alert Status Service 1.0.
public struct RingerControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A40
    /// The name of the characteristic.
    public static let name = "Ringer Control Point"
    /// The number of the command.
    public var opCode: UInt8
    /// The bytes after the number.
    public var parameters: [UInt8]

    /// Makes a command with its parameters.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Turns the ringer off.
    public static let silence = Self(opCode: 1)
    /// Mutes the ringer for the current alert.
    public static let muteOnce = Self(opCode: 2)
    /// Turns the ringer on again.
    public static let cancelSilence = Self(opCode: 3)
}
