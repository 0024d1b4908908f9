internal import CDBus
import Glibc

// MARK: Header

extension Message {
    /// The type of the message; nil for a type of a later protocol, which receivers must ignore.
    public var kind: Kind? { unsafe Kind(rawValue: dbus_message_get_type(raw)) }
    /// The serial number that the sender set; 0 before sending.
    public var serial: UInt32 { unsafe dbus_message_get_serial(raw) }
    /// The serial number of the call that this reply or error answers.
    public var replySerial: UInt32 { unsafe dbus_message_get_reply_serial(raw) }
    /// Whether the sender of this call does not expect a reply.
    public var noReplyExpected: Bool { unsafe dbus_message_get_no_reply(raw) != 0 }
    /// The object that is called, or that sends the signal.
    public var path: ObjectPath? { unsafe text(dbus_message_get_path(raw)).map(ObjectPath.init(valid:)) }
    /// The interface of the method or signal.
    public var interface: String? { unsafe text(dbus_message_get_interface(raw)) }
    /// The name of the method or signal.
    public var member: String? { unsafe text(dbus_message_get_member(raw)) }
    /// The unique name of the sender, which the bus sets.
    public var sender: String? { unsafe text(dbus_message_get_sender(raw)) }
    /// The bus name of the receiver; nil if the message has none.
    public var destination: String? { unsafe text(dbus_message_get_destination(raw)) }
    /// The types of the body, for example `sa{sv}as`.
    public var signature: String { unsafe text(dbus_message_get_signature(raw)) ?? "" }

    /// The error in this message; nil if the message is not an error.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let message = try? read { (body) throws(DBusError) in try body.string() }
        return DBusError(name: unsafe text(dbus_message_get_error_name(raw)) ?? "", message: message ?? "")
    }

    /// Calls `body` with a reader of the message's body. The reader cannot leave the closure.
    public func read<Result: ~Copyable>(
        _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        try unsafe MessageBody.read(raw) { (bytes) throws(DBusError) in
            var reader = unsafe MessageReader(bytes, of: raw)
            return try body(&reader)
        }
    }

    /// Calls `body` with the bytes of the path, without making a String.
    public func withPath<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        guard let path = unsafe dbus_message_get_path(raw) else { return body(Span()) }
        return unsafe withSpan(path, body)
    }

    /// Whether the message is a signal with this interface and this member; makes no String.
    public func isSignal(_ interface: StaticString, _ member: StaticString) -> Bool {
        unsafe dbus_message_is_signal(raw, cString(interface), cString(member)) != 0
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }

    private func cString(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

/// Calls `body` with the bytes of a C string.
func withSpan<Result, Failure: Error>(
    _ pointer: UnsafePointer<CChar>, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)).assumingMemoryBound(
        to: UInt8.self)
    return try body(unsafe bytes.span)
}

extension Message {
    /// Whether the message has this interface; makes no String.
    func hasInterface(_ name: String) -> Bool { unsafe dbus_message_has_interface(raw, name) != 0 }

    /// Whether the message has this member; makes no String.
    func hasMember(_ name: String) -> Bool { unsafe dbus_message_has_member(raw, name) != 0 }

    /// Whether the sender of the message has this bus name; makes no String.
    public func isSent(by name: String) -> Bool { unsafe dbus_message_has_sender(raw, name) != 0 }
}
