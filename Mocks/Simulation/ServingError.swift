import DBus

/// Why a ``ServedSimulation`` ended by itself.
public struct ServingError: Error, Hashable, Sendable {
    /// What kind of thing happened.
    public enum Kind: Sendable {
        /// The text is not the address of a bus.
        case badAddress
        /// There is no bus at the address, or it does not answer.
        case noBus
        /// The bus does not let this process in, or does not let it have the name `org.bluez`.
        case refused
        /// Another program has the name `org.bluez` there.
        case nameTaken
        /// The bus went away while it was served.
        case busLost
    }

    /// What kind of thing happened.
    public let kind: Kind
    /// What the bus or libdbus says of it; may be empty.
    public let message: String

    init(_ error: DBusError, wasServing: Bool) {
        message = error.message
        kind =
            if wasServing {
                .busLost
            } else {
                switch error.name {
                case DBusError.Name.badAddress: .badAddress
                case DBusError.Name.addressInUse: .nameTaken
                case DBusError.Name.accessDenied, DBusError.Name.authFailed: .refused
                default: .noBus
                }
            }
    }
}
