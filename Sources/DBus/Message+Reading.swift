internal import CDBus
import Glibc

// MARK: Header

extension Message {
    /// The type of the message; nil for a type of a later protocol, which receivers must ignore.
    public var kind: Kind? {
        switch content {
        case .built(let raw): unsafe Kind(rawValue: dbus_message_get_type(raw))
        case .received(let wire): Kind(rawValue: Int32(wire.kind))
        }
    }

    /// The serial number that the sender set; 0 before sending.
    public var serial: UInt32 {
        switch content {
        case .built(let raw): unsafe dbus_message_get_serial(raw)
        case .received(let wire): wire.serial
        }
    }

    /// The serial number of the call that this reply or error answers.
    public var replySerial: UInt32 {
        switch content {
        case .built(let raw): unsafe dbus_message_get_reply_serial(raw)
        case .received(let wire): wire.replySerial
        }
    }

    /// Whether the sender of this call does not expect a reply.
    public var noReplyExpected: Bool {
        switch content {
        case .built(let raw): unsafe dbus_message_get_no_reply(raw) != 0
        case .received(let wire): wire.flags & 1 != 0
        }
    }

    /// The object that is called, or that sends the signal.
    public var path: ObjectPath? { pathText.string.flatMap(ObjectPath.init) }
    /// The interface of the method or signal.
    public var interface: String? { interfaceText.string }
    /// The name of the method or signal.
    public var member: String? { memberText.string }
    /// The unique name of the sender, which the bus sets.
    public var sender: String? { senderText.string }
    /// The bus name of the receiver; nil if the message has none.
    public var destination: String? {
        switch content {
        case .built(let raw): unsafe WireText(dbus_message_get_destination(raw)).string
        case .received(let wire): wire.destination.string
        }
    }

    /// The types of the body, for example `sa{sv}as`.
    public var signature: String {
        switch content {
        case .built(let raw): unsafe WireText(dbus_message_get_signature(raw)).string ?? ""
        case .received(let wire): wire.signature.string ?? ""
        }
    }

    private var errorName: String? {
        switch content {
        case .built(let raw): unsafe WireText(dbus_message_get_error_name(raw)).string
        case .received(let wire): wire.errorName.string
        }
    }

    /// The error in this message; nil if the message is not an error.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let message = try? read { (body) throws(DBusError) in try body.string() }
        return DBusError(name: errorName ?? "", message: message ?? "")
    }

    /// Calls `body` with a reader of the message's body. The reader cannot leave the closure.
    public func read<Result: ~Copyable>(
        _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        switch content {
        case .received(let wire):
            let source = descriptors.map { unsafe DescriptorSource($0.numbers) } ?? .none
            var reader = MessageReader(MessageBody(wire), source)
            defer { withExtendedLifetime(self) {} }
            return try body(&reader)
        case .built(let raw):
            return try unsafe MessageBody.read(raw) { (bytes) throws(DBusError) in
                var reader = unsafe MessageReader(bytes, DescriptorSource(raw))
                return try body(&reader)
            }
        }
    }

    /// Calls `body` with the bytes of the path, without making a String.
    public func withPath<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pathText.bytes.span)
    }

    /// Whether the message is a signal with this interface and this member; makes no String.
    public func isSignal(_ interface: StaticString, _ member: StaticString) -> Bool {
        kind == .signal && memberText.equals(member) && interfaceText.equals(interface)
    }

    /// Whether the message has this interface; makes no String.
    func hasInterface(_ name: String) -> Bool { interfaceText.equals(name) }

    /// Whether the message has this member; makes no String.
    func hasMember(_ name: String) -> Bool { memberText.equals(name) }

    /// Whether the sender of the message has this bus name; makes no String.
    public func isSent(by name: String) -> Bool { senderText.equals(name) }
}

// MARK: Texts

// The texts are valid as long as the message.
extension Message {
    var pathText: WireText {
        switch content {
        case .built(let raw): unsafe WireText(dbus_message_get_path(raw))
        case .received(let wire): wire.path
        }
    }

    var interfaceText: WireText {
        switch content {
        case .built(let raw): unsafe WireText(dbus_message_get_interface(raw))
        case .received(let wire): wire.interface
        }
    }

    var memberText: WireText {
        switch content {
        case .built(let raw): unsafe WireText(dbus_message_get_member(raw))
        case .received(let wire): wire.member
        }
    }

    var senderText: WireText {
        switch content {
        case .built(let raw): unsafe WireText(dbus_message_get_sender(raw))
        case .received(let wire): wire.sender
        }
    }
}
