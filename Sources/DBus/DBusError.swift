/// The error of a call on a bus: a D-Bus error name and its text.
///
/// Errors that this module itself reports have the names that libdbus uses for the same situations.
/// Source: D-Bus specification, "Message Protocol", error messages.
public struct DBusError: Error, Hashable, Sendable {
    /// The error's name, for example `org.bluez.Error.NotReady`.
    public let name: String
    /// The text of the error; empty if the error has no text.
    public let message: String

    /// Makes an error from a name and a text.
    public init(name: String, message: String) {
        self.name = name
        self.message = message
    }
}

extension DBusError: CustomStringConvertible {
    /// The name and, if there is one, the text.
    public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension DBusError {
    /// The bus, or the connection to it, is lost.
    public static func disconnected(_ message: String) -> DBusError {
        DBusError(name: Name.disconnected, message: message)
    }

    // Q8, see docs/quirks.md.
    /// No reply came before the call's deadline. Whether the call took effect is unknown.
    public static func noReply(_ message: String) -> DBusError {
        DBusError(name: Name.noReply, message: message)
    }

    /// This process tries to send something that is not valid D-Bus.
    public static func invalidArgument(_ message: String) -> DBusError {
        DBusError(name: Name.invalidArgs, message: message)
    }

    /// A received message does not contain the values that its reader expects.
    public static func malformed(_ message: String) -> DBusError {
        DBusError(name: Name.invalidSignature, message: message)
    }

    /// The names of the errors of the bus itself and of this module.
    public enum Name {
        /// `org.freedesktop.DBus.Error.Failed`
        public static let failed = "org.freedesktop.DBus.Error.Failed"
        /// `org.freedesktop.DBus.Error.Disconnected`
        public static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
        /// `org.freedesktop.DBus.Error.NoReply`
        public static let noReply = "org.freedesktop.DBus.Error.NoReply"
        /// `org.freedesktop.DBus.Error.NoMemory`
        public static let noMemory = "org.freedesktop.DBus.Error.NoMemory"
        /// `org.freedesktop.DBus.Error.InvalidArgs`
        public static let invalidArgs = "org.freedesktop.DBus.Error.InvalidArgs"
        /// `org.freedesktop.DBus.Error.InvalidSignature`
        public static let invalidSignature = "org.freedesktop.DBus.Error.InvalidSignature"
        /// `org.freedesktop.DBus.Error.LimitsExceeded`
        public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
        /// `org.freedesktop.DBus.Error.ServiceUnknown`
        public static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
        /// `org.freedesktop.DBus.Error.NameHasNoOwner`
        public static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
        /// `org.freedesktop.DBus.Error.UnknownObject`
        public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
        /// `org.freedesktop.DBus.Error.UnknownInterface`
        public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
        /// `org.freedesktop.DBus.Error.UnknownMethod`
        public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
        /// `org.freedesktop.DBus.Error.UnknownProperty`
        public static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
        /// `org.freedesktop.DBus.Error.PropertyReadOnly`
        public static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
        /// `org.freedesktop.DBus.Error.FileNotFound`
        public static let fileNotFound = "org.freedesktop.DBus.Error.FileNotFound"
        /// `org.freedesktop.DBus.Error.NoServer`
        public static let noServer = "org.freedesktop.DBus.Error.NoServer"
        /// `org.freedesktop.DBus.Error.BadAddress`
        public static let badAddress = "org.freedesktop.DBus.Error.BadAddress"
        /// `org.freedesktop.DBus.Error.AddressInUse`
        public static let addressInUse = "org.freedesktop.DBus.Error.AddressInUse"
        /// `org.freedesktop.DBus.Error.AuthFailed`
        public static let authFailed = "org.freedesktop.DBus.Error.AuthFailed"
        /// `org.freedesktop.DBus.Error.AccessDenied`
        public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    }
}
