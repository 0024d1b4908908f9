internal import CDBus
import Glibc

/// Reading messages.
extension Message {
    /// What this message is; nil for a kind of a later protocol, which receivers must ignore.
    public var kind: Kind? { unsafe Kind(rawValue: dbus_message_get_type(raw)) }
    /// The number the sender gave it; 0 before it was sent.
    public var serial: UInt32 { unsafe dbus_message_get_serial(raw) }
    /// For a reply or an error: the number of the call that it answers.
    public var replySerial: UInt32 { unsafe dbus_message_get_reply_serial(raw) }
    /// Whether the sender of this call wants no reply.
    public var noReplyExpected: Bool { unsafe dbus_message_get_no_reply(raw) != 0 }
    /// The object that is called, or that signals.
    public var path: ObjectPath? { unsafe text(dbus_message_get_path(raw)).map(ObjectPath.init(valid:)) }
    /// The interface of the method or signal.
    public var interface: String? { unsafe text(dbus_message_get_interface(raw)) }
    /// The name of the method or signal.
    public var member: String? { unsafe text(dbus_message_get_member(raw)) }
    /// The unique name of the sender, as the bus stamped it.
    public var sender: String? { unsafe text(dbus_message_get_sender(raw)) }
    /// The receiver, where the message has one.
    public var destination: String? { unsafe text(dbus_message_get_destination(raw)) }
    /// The types of the body, for example `sa{sv}as`.
    public var signature: String { unsafe text(dbus_message_get_signature(raw)) ?? "" }

    /// The error that this message bears; nil where it is not an error.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let message = try? read { (body) throws(DBusError) in try body.string() }
        return DBusError(name: unsafe text(dbus_message_get_error_name(raw)) ?? "", message: message ?? "")
    }

    /// Reads the body. The reader must not leave the closure, and cannot.
    public func read<Result: ~Copyable>(
        _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        var reader = unsafe MessageReader(body: raw)
        return try body(&reader)
    }

    /// Lends the path's bytes without making a String; for tables that are keyed by part of a path.
    public func withPath<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        guard let path = unsafe dbus_message_get_path(raw) else { return body(Span()) }
        return unsafe withSpan(path, body)
    }

    /// Whether the interface and the member are these; compares bytes and makes no String.
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

/// Lends the bytes of a C string as a span.
func withSpan<Result, Failure: Error>(
    _ pointer: UnsafePointer<CChar>, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)).assumingMemoryBound(
        to: UInt8.self)
    return try body(unsafe bytes.span)
}

extension Message {
    /// Whether the interface is this one; makes no String.
    func hasInterface(_ name: String) -> Bool { unsafe dbus_message_has_interface(raw, name) != 0 }

    /// Whether the member is this one; makes no String.
    func hasMember(_ name: String) -> Bool { unsafe dbus_message_has_member(raw, name) != 0 }

    /// Whether the sender is this unique name; makes no String.
    public func isSent(by name: String) -> Bool { unsafe dbus_message_has_sender(raw, name) != 0 }
}
