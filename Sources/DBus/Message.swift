internal import CDBus

/// One D-Bus message: a call, a reply, an error or a signal.
///
/// The closure passed to a factory writes the body. The message does not change after the factory has returned. Reading
/// uses the message's own bytes, so only the values that are read are copied.
@safe
public final class Message: @unchecked Sendable {
    // Guard: a message is immutable after `init`, except when a bus stamps it, or reuses an object without other
    // references for the next signal. libdbus counts its own references atomically.
    private(set) var content: Content
    /// The buffer that contains a received message.
    private var buffer: ReceivedBytes?
    /// The file descriptors of a received message.
    let descriptors: ReceivedDescriptors?

    /// Where a message is stored.
    @safe
    enum Content {
        /// A message that libdbus has made.
        case built(OpaquePointer)
        /// A message in the receive buffer.
        case received(WireMessage)
    }

    /// The type of a message.
    public enum Kind: Int32, Sendable {
        /// A method call. A reply or an error answers it.
        case call = 1
        /// The successful answer to a call.
        case reply = 2
        /// The answer to a call that failed.
        case error = 3
        /// A signal, to all subscribers or to one receiver.
        case signal = 4
    }

    /// Takes over a reference to libdbus's message.
    init(adopting raw: OpaquePointer) {
        unsafe content = .built(raw)
        descriptors = nil
    }

    /// Makes the object of a message in a receive buffer.
    init(_ wire: WireMessage, in buffer: ReceivedBytes, _ descriptors: ReceivedDescriptors?) {
        content = .received(wire)
        self.buffer = buffer
        self.descriptors = descriptors
    }

    deinit { if case .built(let raw) = content { unsafe dbus_message_unref(raw) } }

    /// Replaces the content of a received message. The object must not have other references.
    func refer(to wire: WireMessage, in buffer: ReceivedBytes) {
        // Most signals are in the buffer of the signal before; comparing saves counting references.
        if self.buffer !== buffer { self.buffer = buffer }
        content = .received(wire)
    }

    /// Makes a message from a new message of libdbus, and fills its body.
    private static func build(
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

// MARK: Factories

// Q6: libdbus aborts the process on an invalid name, so the factories check all names.
extension Message {
    /// Makes a method call. Throws ``DBusError/invalidArgument(_:)`` if a name is not valid D-Bus.
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

    /// Makes a signal to all subscribers, or to `destination` only.
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

    /// Makes the successful reply to a call.
    public static func reply(
        to call: Message, _ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) throws(DBusError) -> Message {
        try unsafe build(answer(.reply, to: call), body)
    }

    /// Makes the error that answers a call that failed.
    public static func failure(of call: Message, _ error: DBusError) throws(DBusError) -> Message {
        try check(Syntax.isInterface(error.name), error.name, "an error name")
        let raw = try unsafe answer(.error, to: call)
        if unsafe dbus_message_set_error_name(raw, error.name) == 0 { outOfMemory() }
        return try unsafe build(raw) { (body) throws(DBusError) in
            try body.string(error.message.utf8.contains(0) ? "" : error.message)
        }
    }

    /// Makes a message without body to the caller of a call.
    private static func answer(_ kind: Kind, to call: Message) throws(DBusError) -> OpaquePointer {
        try check(call.kind == .call && call.serial != 0, "a message", "a call that was sent")
        guard let raw = unsafe dbus_message_new(kind.rawValue) else { outOfMemory() }
        unsafe dbus_message_set_no_reply(raw, 1)
        var isDone = unsafe dbus_message_set_reply_serial(raw, call.serial) != 0
        if isDone, let caller = call.sender, Syntax.isBusName(caller) {
            isDone = unsafe dbus_message_set_destination(raw, caller) != 0
        }
        if !isDone { outOfMemory() }
        return unsafe raw
    }

    /// Refuses the names that libdbus reserves for itself; a bus disconnects a client that sends them.
    private static func checkIsSendable(_ path: ObjectPath, _ interface: String) throws(DBusError) {
        try check(path.description != "/org/freedesktop/DBus/Local", path.description, "a path that may be sent")
        try check(interface != "org.freedesktop.DBus.Local", interface, "an interface that may be sent")
    }

    private static func check(_ isValid: Bool, _ text: String, _ what: String) throws(DBusError) {
        if !isValid { throw .invalidArgument("“\(text)” is not \(what).") }
    }
}

// MARK: For buses

extension Message {
    /// Returns this message with a serial number and a sender. For buses in this process.
    ///
    /// A message without a serial number is changed in place; otherwise a copy is returned. Messages on a socket do not
    /// need this function, because libdbus and the bus set these fields.
    public func stamped(serial: UInt32, sender: String?) -> Message {
        guard let target = self.serial == 0 ? self : copy(), case .built(let raw) = target.content else {
            outOfMemory()
        }
        unsafe dbus_message_set_serial(raw, serial)
        if let sender { _ = unsafe dbus_message_set_sender(raw, sender) }
        return target
    }

    /// Returns a copy without a serial number; nil if the message's descriptors cannot be duplicated.
    func copy() -> Message? {
        switch content {
        case .built(let raw): return unsafe dbus_message_copy(raw).map { unsafe Message(adopting: $0) }
        case .received(let wire): return unsafe Message(foreign: wire.bytes)?.copy()
        }
    }

    /// Makes a message without content.
    static func empty() -> Message {
        guard let raw = unsafe dbus_message_new(Kind.signal.rawValue) else { outOfMemory() }
        return unsafe Message(adopting: raw)
    }

    /// Marks a call that was made here as one that requires a reply.
    func expectReply() { if case .built(let raw) = content { unsafe dbus_message_set_no_reply(raw, 0) } }

    /// Marks a call that was made here as one that requires no reply.
    package func suppressReply() { if case .built(let raw) = content { unsafe dbus_message_set_no_reply(raw, 1) } }
}

// MARK: Wire format

// Source: D-Bus specification, "Message Format".
extension Message {
    /// Parses a message in wire format with libdbus, in any byte order; nil if libdbus refuses the message.
    convenience init?(foreign bytes: UnsafeRawBufferPointer) {
        guard let raw = unsafe Self.demarshal(bytes) else { return nil }
        unsafe self.init(adopting: raw)
    }

    private static func demarshal(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer? {
        guard unsafe !bytes.isEmpty else { return nil }
        return unsafe dbus_message_demarshal(
            bytes.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count), nil)
    }

    /// Parses a message in wire format with libdbus; nil if libdbus refuses the message.
    ///
    /// Bytes after the message are ignored.
    package convenience init?(bytes: [UInt8]) {
        let raw = unsafe bytes.withUnsafeBytes { unsafe Self.demarshal($0) }
        guard let raw = unsafe raw else { return nil }
        unsafe self.init(adopting: raw)
    }

    /// Reads a message in wire format as a connection does; nil if its header is not valid.
    package convenience init?(received bytes: [UInt8]) {
        let buffer = ReceivedBytes(copying: bytes)
        guard let wire = unsafe WireMessage(UnsafeRawBufferPointer(start: buffer.base, count: bytes.count)) else {
            return nil
        }
        self.init(wire, in: buffer, nil)
    }

    /// The message in wire format. A message without a serial number is not valid on a wire.
    package var bytes: [UInt8] {
        switch content {
        case .received(let wire): return unsafe [UInt8](wire.bytes)
        case .built(let raw):
            var start: UnsafeMutablePointer<CChar>?
            var count: Int32 = 0
            guard unsafe dbus_message_marshal(raw, &start, &count) != 0, let start = unsafe start else { outOfMemory() }
            defer { unsafe dbus_free(start) }
            return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
        }
    }
}

// Ends the process instead of throwing: a process that cannot allocate a message cannot report the error either.
/// Ends the process, as the rest of Swift does if no memory is left.
func outOfMemory() -> Never { fatalError("There is no memory left for a D-Bus message.") }
