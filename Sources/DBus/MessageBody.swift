internal import CDBus
import Glibc

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

    init(start: UnsafeRawPointer, count: Int, signature: UnsafePointer<UInt8>) {
        unsafe (self.start, self.count, self.signature) = (start, count, signature)
    }

    /// The body of a received message.
    init(_ wire: WireMessage) {
        let none: StaticString = ""
        unsafe start = wire.body.baseAddress ?? UnsafeRawPointer(none.utf8Start)
        unsafe count = wire.body.count
        unsafe signature = wire.signature.start ?? none.utf8Start
    }

    /// Calls `body` with the body of a message of libdbus.
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
                MessageBody(start: start, count: Int.max, signature: signature), .none)
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
        guard let message, case .built(let raw) = message.content else { return false }
        var iterator = unsafe DBusMessageIter()
        unsafe dbus_message_iter_init(raw, &iterator)
        guard let start = unsafe firstText(&iterator) else { return false }
        let expected = message.bytes.suffix(30)
        return unsafe expected.elementsEqual(UnsafeRawBufferPointer(start: start, count: expected.count))
    }()
}

/// The file descriptors among the arguments of a message.
@safe
struct DescriptorSource {
    private let message: OpaquePointer?
    private let numbers: UnsafeBufferPointer<Int32>

    /// No descriptors.
    static var none: DescriptorSource {
        unsafe DescriptorSource(message: nil, numbers: UnsafeBufferPointer(start: nil, count: 0))
    }

    private init(message: OpaquePointer?, numbers: UnsafeBufferPointer<Int32>) {
        unsafe (self.message, self.numbers) = (message, numbers)
    }

    /// The descriptors of a message of libdbus.
    init(_ message: OpaquePointer) {
        unsafe self.init(message: message, numbers: UnsafeBufferPointer(start: nil, count: 0))
    }

    /// The descriptors that arrived with a message.
    init(_ numbers: UnsafeBufferPointer<Int32>) { unsafe self.init(message: nil, numbers: numbers) }

    /// Duplicates the descriptor of an argument, which is at `index` in the message's list; nil if there is none.
    func duplicate(argument: Int, index: UInt32) -> OwnedDescriptor? {
        var number: Int32 = -1
        if let message = unsafe message {
            var iterator = unsafe DBusMessageIter()
            unsafe dbus_message_iter_init(message, &iterator)
            for _ in 0..<argument { unsafe dbus_message_iter_next(&iterator) }
            unsafe dbus_message_iter_get_basic(&iterator, &number)
        } else if unsafe index < numbers.count {
            number = unsafe fcntl(numbers[Int(index)], F_DUPFD_CLOEXEC, 0)
        }
        // libdbus does not check the index, and the process may have no descriptor left.
        return number >= 0 ? OwnedDescriptor(adopting: number) : nil
    }
}
