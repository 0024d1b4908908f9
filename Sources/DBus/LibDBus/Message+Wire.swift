internal import CDBus

/// What only a connection does to messages, before it sends them or in order to lend them.
extension Message {
    /// A message without content.
    static func empty() -> Message {
        guard let raw = unsafe dbus_message_new(Kind.signal.rawValue) else { outOfMemory() }
        return unsafe Message(adopting: raw)
    }

    /// A second object for the same message.
    func retainedCopy() -> Message { unsafe Message(referring: raw) }

    /// A call that is to be answered.
    func expectReply() { unsafe dbus_message_set_no_reply(raw, 0) }

    /// A call that is not to be answered.
    func suppressReply() { unsafe dbus_message_set_no_reply(raw, 1) }
}
