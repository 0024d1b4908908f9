internal import CDBus

/// The body of a message in wire format and in the byte order of this machine, with its signature.
///
/// Source: D-Bus specification, "Marshaling (Wire Format)".
@safe
struct MessageBody {
    /// The first byte of the body. It is 8-aligned in its message, so alignment counts from here.
    let start: UnsafeRawPointer
    let count: Int
    /// The types of the arguments, with a NUL at the end.
    let signature: UnsafePointer<UInt8>

    /// Calls `body` with the body of a message. libdbus has validated the body.
    ///
    /// If the first argument is a text, as in all frequent signals, the body is not copied.
    static func read<Result: ~Copyable>(
        _ message: OpaquePointer, _ body: (MessageBody) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        // This call also changes the message to the byte order of this machine.
        var iterator = unsafe DBusMessageIter()
        let isEmpty = unsafe dbus_message_iter_init(message, &iterator) == 0
        let text = unsafe dbus_message_get_signature(message)
        guard !isEmpty, let text = unsafe text else {
            var end: UInt8 = 0
            return try unsafe withUnsafePointer(to: &end) { (end) throws(DBusError) in
                try unsafe body(MessageBody(start: end, count: 0, signature: end))
            }
        }
        let signature = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        if isContiguous, let start = unsafe firstText(&iterator) {
            var measure = unsafe MessageReader(
                MessageBody(start: start, count: Int.max, signature: signature), of: message)
            while !measure.isAtEnd { measure.skip() }
            return try unsafe body(MessageBody(start: start, count: measure.position, signature: signature))
        }
        var bytes: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        guard unsafe dbus_message_marshal(message, &bytes, &length) != 0, let bytes = unsafe bytes else {
            outOfMemory()
        }
        defer { unsafe dbus_free(bytes) }
        let count = unsafe Int(UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let start = unsafe UnsafeRawPointer(bytes) + (Int(length) - count)
        return try unsafe body(MessageBody(start: start, count: count, signature: signature))
    }

    /// Returns the first byte of a body that begins with a text; nil for other bodies.
    ///
    /// libdbus returns a text as a pointer into the body. The length of the text precedes it.
    private static func firstText(_ iterator: inout DBusMessageIter) -> UnsafeRawPointer? {
        let type = unsafe WireType(rawValue: dbus_message_iter_get_arg_type(&iterator))
        guard type == .string || type == .objectPath else { return nil }
        var text: UnsafePointer<CChar>?
        unsafe dbus_message_iter_get_basic(&iterator, &text)
        return unsafe text.map { unsafe UnsafeRawPointer($0) - 4 }
    }

    /// Whether this libdbus keeps a body in wire format in one piece, as all known versions do.
    ///
    /// Checked once per process with a message, because libdbus does not document it.
    private static let isContiguous: Bool = {
        let text = "org.bluez.Device1"
        let message = try? Message.signal(path: "/", interface: "a.b", member: "C") { (body) throws(DBusError) in
            try body.string(text)
            try body.array(of: "q") { (element) throws(DBusError) in element.uint16(0x0102) }
        }
        guard let message else { return false }
        var iterator = unsafe DBusMessageIter()
        unsafe dbus_message_iter_init(message.raw, &iterator)
        guard let start = unsafe firstText(&iterator) else { return false }
        let expected = message.bytes.suffix(30)
        return unsafe expected.elementsEqual(UnsafeRawBufferPointer(start: start, count: expected.count))
    }()
}

/// Functions on a signature, which ends with a NUL.
///
/// libdbus has validated all signatures, so brackets are balanced.
@safe
enum WireSignature {
    /// Returns the type at the start of a signature; `.end` at its end, or at the end of a structure or an entry.
    static func type(_ signature: UnsafePointer<UInt8>) -> WireType {
        switch unsafe signature.pointee {
        case UInt8(ascii: "("): .structure
        case UInt8(ascii: "{"): .entry
        case 0, UInt8(ascii: ")"), UInt8(ascii: "}"): .end
        case let character: WireType(rawValue: Int32(character))
        }
    }

    /// Returns the rest of a signature after its first complete type.
    static func end(of signature: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var rest = unsafe signature
        while unsafe rest.pointee == UInt8(ascii: "a") { unsafe rest += 1 }
        var depth = 0
        repeat {
            switch unsafe rest.pointee {
            case 0: return unsafe rest
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            unsafe rest += 1
        } while depth > 0
        return unsafe rest
    }
}
