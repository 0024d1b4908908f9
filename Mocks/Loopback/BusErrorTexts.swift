import DBus

/// Error texts of dbus-daemon and libdbus, word for word, because some clients compare them.
enum BusErrorTexts {
    static let noReply = """
        Did not receive a reply. Possible causes include: the remote application did not send a reply, the message bus \
        security policy blocked the reply, the reply timeout expired, or the network connection was broken.
        """
    static let calleeLeft = "Message recipient disconnected from message bus without replying"
    static let closed = "The connection was closed here."
    static let busGone = "Connection was disconnected before a reply was received"
    static let nameTakenName = "org.freedesktop.DBus.Error.AddressInUse"

    static func nameTaken(_ name: String, by owner: String) -> String { "“\(name)” belongs to \(owner)." }
    static func serviceUnknown(_ name: String) -> String {
        "The name \(name) was not provided by any .service files"
    }
    static func noOwner(_ name: String) -> String { "Could not get owner of name '\(name)': no such name" }

    /// Returns libdbus's error text for a call without a handler, including the line feed at its end.
    static func unknownMethod(_ call: Message) -> String {
        "Method \"\(call.member ?? "")\" with signature \"\(call.signature)\" on interface "
            + "\"\(call.interface ?? "(null)")\" doesn't exist\n"
    }
}
