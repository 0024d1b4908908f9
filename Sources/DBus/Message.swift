internal import CDBus

/// One D-Bus message: a call, a reply, an error or a signal.
///
/// A message is written once, by the closure given to its factory, and never changes after it has been handed out;
/// reading walks libdbus's own buffer, so nothing is copied that is not asked for.
@safe
public final class Message: @unchecked Sendable {
    // Guard: nobody writes after `init`, except a bus that stamps a message before it hands it on, or that puts the next
    // signal into an object to which it has the only reference; libdbus counts its own references atomically.
    private(set) var raw: OpaquePointer

    /// What a message is.
    public enum Kind: Int32, Sendable {
        /// A method call; its answer is a reply or an error.
        case call = 1
        /// The successful answer to a call.
        case reply = 2
        /// The answer to a call that failed.
        case error = 3
        /// A broadcast, or a signal to one receiver.
        case signal = 4
    }

    /// Takes over a reference to libdbus's message.
    init(adopting raw: OpaquePointer) { unsafe self.raw = raw }

    /// Adds a reference to libdbus's message.
    init(referring raw: OpaquePointer) { unsafe self.raw = dbus_message_ref(raw) }

    deinit { unsafe dbus_message_unref(raw) }

    /// A copy of this message with another content of its header's `serial` and `sender`, as a bus stamps it.
    /// For buses in this process; libdbus stamps what goes over a socket itself.
    public func stamped(serial: UInt32, sender: String?) -> Message {
        // A message of ours that was not sent yet has no serial, and can be stamped in place.
        guard let target = unsafe dbus_message_get_serial(raw) == 0 ? self : copy() else { outOfMemory() }
        unsafe dbus_message_set_serial(target.raw, serial)
        if let sender { _ = unsafe dbus_message_set_sender(target.raw, sender) }
        return target
    }

    /// The same content, without a number, so that a bus may write one into it. Nil where the process has no descriptor
    /// left for those that the message bears.
    func copy() -> Message? { unsafe dbus_message_copy(raw).map { unsafe Message(adopting: $0) } }

    /// Takes over another of libdbus's messages in place of this one. Only for who has the only reference.
    func exchange(_ other: OpaquePointer) {
        unsafe dbus_message_unref(raw)
        unsafe raw = other
    }

    /// Fills the body of a fresh message.
    static func build(
        _ raw: OpaquePointer?, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Message {
        guard let raw = unsafe raw else { outOfMemory() }
        let message = unsafe Message(adopting: raw)
        var writer = unsafe MessageWriter(body: raw)
        try body(&writer)
        if let failure = writer.failure { throw failure }
        return message
    }
}

/// libdbus answers "no memory" by a null or a false. A process that cannot get the few hundred bytes of a message
/// cannot report it either, so this ends it, as the rest of Swift does.
func outOfMemory() -> Never { fatalError("There is no memory left for a D-Bus message.") }
