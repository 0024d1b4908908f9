internal import CDBus

/// What only a connection does to messages, before it sends them or in order to lend them.
extension Message {
    /// A message without content.
    static func blank() -> Message {
        guard let raw = unsafe dbus_message_new(Kind.signal.rawValue) else { outOfMemory() }
        return unsafe Message(adopting: raw)
    }

    /// A second object for the same message.
    func another() -> Message { unsafe Message(referring: raw) }

    /// A call that is to be answered.
    func demandReply() { unsafe dbus_message_set_no_reply(raw, 0) }

    /// A call that is not to be answered.
    func refuseReply() { unsafe dbus_message_set_no_reply(raw, 1) }
}
