internal import CDBus

/// Making messages. Names are checked here, because libdbus aborts the process on invalid ones (Q6).
extension Message {
    /// A method call. Throws ``DBusError/invalidArgument(_:)`` where a name is not valid D-Bus.
    public static func call(
        to destination: String, path: ObjectPath, interface: String, member: String,
        _ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) throws(DBusError) -> Message {
        try check(Syntax.isBusName(destination), destination, "a bus name")
        try check(Syntax.isInterface(interface), interface, "an interface name")
        try check(Syntax.isMember(member), member, "a method name")
        try checkIsSendable(path, interface)
        return try unsafe build(
            dbus_message_new_method_call(destination, path.description, interface, member), body)
    }

    /// A signal to everybody who listens, or to `destination` alone.
    public static func signal(
        path: ObjectPath, interface: String, member: String, to destination: String? = nil,
        _ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) throws(DBusError) -> Message {
        try check(Syntax.isInterface(interface), interface, "an interface name")
        try check(Syntax.isMember(member), member, "a signal name")
        try checkIsSendable(path, interface)
        if let destination { try check(Syntax.isBusName(destination), destination, "a bus name") }
        return try unsafe build(dbus_message_new_signal(path.description, interface, member)) {
            (writer) throws(DBusError) in
            if let destination { writer.setDestination(destination) }
            try body(&writer)
        }
    }

    /// The successful reply to a call.
    public static func reply(
        to call: Message, _ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) throws(DBusError) -> Message {
        try check(call.kind == .call && call.serial != 0, "a message", "a call that was sent")
        return try unsafe build(dbus_message_new_method_return(call.raw), body)
    }

    /// The reply that says that a call failed.
    public static func failure(of call: Message, _ error: DBusError) throws(DBusError) -> Message {
        try check(call.kind == .call && call.serial != 0, "a message", "a call that was sent")
        try check(Syntax.isInterface(error.name), error.name, "an error name")
        let text = error.message.utf8.contains(0) ? "" : error.message
        return try unsafe build(dbus_message_new_error(call.raw, error.name, text)) { (_) throws(DBusError) in }
    }

    /// These are for libdbus's talk to itself; a bus throws off whoever sends them.
    private static func checkIsSendable(_ path: ObjectPath, _ interface: String) throws(DBusError) {
        try check(path.description != "/org/freedesktop/DBus/Local", path.description, "a path that may be sent")
        try check(interface != "org.freedesktop.DBus.Local", interface, "an interface that may be sent")
    }

    private static func check(_ isValid: Bool, _ text: String, _ what: String) throws(DBusError) {
        if !isValid { throw .invalidArgument("“\(text)” is not \(what).") }
    }
}
