/// How to connect.
public struct ConnectOptions: Sendable {
    /// What to do where the peripheral has a link already, which another program made, or this one in an earlier life (Q75).
    ///
    /// bluetoothd shows only that a device is connected, and neither by whom nor since when. A link also outlives its program: after
    /// a crash it is there until the peripheral goes or a program closes it. ``BluetoothManager/retrieveConnectedPeripherals(withServices:)``
    /// lists such links, ``Peripheral/disconnect()`` closes one without connecting first, and these options decide what `connect` does.
    public enum ExistingLink: Sendable {
        /// Use it, and leave it open in the end, since it is somebody else's (Q74).
        case share
        /// Use it as if we had made it: it is closed in the end, also under another program that uses it.
        case takeOver
        /// Close it, whoever made it, and make another one; fails where it cannot be closed. It is closed once: a link that another
        /// program makes right after is shared.
        case replace
    }

    /// What to do with a link that is there already. Default: ``ExistingLink/share``.
    public var existingLink: ExistingLink
    /// How to connect again when the link is lost; nil, the default, for not at all.
    public var reconnection: Reconnection?

    /// Makes options.
    public init(existingLink: ExistingLink = .share, reconnection: Reconnection? = nil) {
        self.existingLink = existingLink
        self.reconnection = reconnection
    }

    /// Connect again whenever the link is lost, and go on trying. See ``Reconnection``.
    ///
    /// - Parameters:
    ///   - attempts: How many attempts in a row may fail; 0 and less are as 1. Default: any number.
    ///   - limit: How long the peripheral may be without a link, longer than zero. Default: for ever.
    public static func reconnect(attempts: Int? = nil, within limit: Duration? = nil) -> ConnectOptions {
        ConnectOptions(reconnection: Reconnection(attempts: attempts, limit: limit))
    }

    /// Connect again whenever the link is lost, as `reconnection` says.
    public static func reconnect(_ reconnection: Reconnection) -> ConnectOptions {
        ConnectOptions(reconnection: reconnection)
    }
}
