/// What a call on a bus failed with: a D-Bus error name and its text, as the wire bears them.
///
/// Errors that arise on this side of the wire use the names that libdbus itself uses for the same
/// situation, so a reader has one vocabulary. Source: D-Bus specification, "Message Protocol", error messages.
public struct DBusError: Error, Hashable, Sendable {
    /// The error's name, for example `org.bluez.Error.NotReady`.
    public let name: String
    /// The text that came with the name; empty where none came.
    public let message: String

    /// Makes an error from a name and a text.
    public init(name: String, message: String) {
        self.name = name
        self.message = message
    }
}

extension DBusError: CustomStringConvertible {
    /// The name and, where there is one, the text.
    public var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension DBusError {
    /// The bus or our connection to it is gone; nothing more will come.
    public static func disconnected(_ message: String) -> DBusError {
        DBusError(name: Name.disconnected, message: message)
    }

    /// No reply came before the call's deadline. Whether the call took effect is unknown (Q8).
    public static func noReply(_ message: String) -> DBusError {
        DBusError(name: Name.noReply, message: message)
    }

    /// Something that this process wanted to send is not valid D-Bus.
    public static func invalidArgument(_ message: String) -> DBusError {
        DBusError(name: Name.invalidArgs, message: message)
    }

    /// A message does not hold what its reader asked for.
    public static func malformed(_ message: String) -> DBusError {
        DBusError(name: Name.invalidSignature, message: message)
    }

    /// The names of the errors that the bus itself and this module answer with.
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
