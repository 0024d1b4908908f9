internal import CDBus

/// A writer that appends values to a new message.
///
/// Closures append the content of containers. If a closure throws, the whole message is abandoned.
@safe
public struct MessageWriter: ~Copyable {
    private let message: OpaquePointer
    // The iterator must not move in memory while a container is open, because libdbus keeps state in it.
    private var iterator = unsafe DBusMessageIter()
    /// The size of the body so far, and the number of open containers.
    private var size = WireSize()
    /// Why the message cannot be sent. Set by methods that do not throw; nothing is appended after that.
    private(set) var failure: DBusError?

    init(body message: OpaquePointer) {
        unsafe self.message = message
        unsafe dbus_message_iter_init_append(message, &iterator)
    }

    private init(inside parent: borrowing MessageWriter) {
        unsafe message = parent.message
        size = parent.size
    }

    func setDestination(_ name: String) {
        if unsafe dbus_message_set_destination(message, name) == 0 { outOfMemory() }
    }

    private mutating func grow(by count: Int, alignedTo alignment: Int) {
        size.add(count, alignedTo: alignment)
        if failure == nil { failure = size.failure }
    }

    private mutating func basic<Number>(_ type: WireType, _ number: Number) {
        grow(by: MemoryLayout<Number>.size, alignedTo: type.alignment)
        guard failure == nil else { return }
        unsafe withUnsafePointer(to: number) {
            if unsafe dbus_message_iter_append_basic(&iterator, type.rawValue, $0) == 0 { outOfMemory() }
        }
    }

    private mutating func text(_ type: WireType, _ text: String) throws(DBusError) {
        // Q6: libdbus would truncate the text at a NUL. Apart from that, Swift's strings are always valid UTF-8.
        guard !text.utf8.contains(0) else { throw .invalidArgument("A text that contains a NUL cannot be sent.") }
        grow(by: text.utf8.count + (type == .signature ? 2 : 5), alignedTo: type.alignment)
        if let failure { throw failure }
        unsafe text.withCString { pointer in
            unsafe withUnsafePointer(to: pointer) {
                if unsafe dbus_message_iter_append_basic(&iterator, type.rawValue, $0) == 0 { outOfMemory() }
            }
        }
    }

    // Q5: a Boolean has four bytes on the wire.
    /// Appends a Boolean (`b`).
    public mutating func bool(_ value: Bool) { basic(.bool, UInt32(value ? 1 : 0)) }
    /// Appends a byte (`y`).
    public mutating func byte(_ value: UInt8) { basic(.byte, value) }
    /// Appends a signed number of 16 bits (`n`).
    public mutating func int16(_ value: Int16) { basic(.int16, value) }
    /// Appends an unsigned number of 16 bits (`q`).
    public mutating func uint16(_ value: UInt16) { basic(.uint16, value) }
    /// Appends a signed number of 32 bits (`i`).
    public mutating func int32(_ value: Int32) { basic(.int32, value) }
    /// Appends an unsigned number of 32 bits (`u`).
    public mutating func uint32(_ value: UInt32) { basic(.uint32, value) }
    /// Appends a signed number of 64 bits (`x`).
    public mutating func int64(_ value: Int64) { basic(.int64, value) }
    /// Appends an unsigned number of 64 bits (`t`).
    public mutating func uint64(_ value: UInt64) { basic(.uint64, value) }
    /// Appends a number with a fraction (`d`).
    public mutating func double(_ value: Double) { basic(.double, value) }
    /// Appends a string (`s`). Throws if the string contains a NUL.
    public mutating func string(_ value: String) throws(DBusError) { try text(.string, value) }
    /// Appends an object path (`o`).
    public mutating func objectPath(_ value: ObjectPath) throws(DBusError) { try text(.objectPath, value.description) }

    /// Appends a signature (`g`).
    public mutating func signature(_ value: String) throws(DBusError) {
        try Self.check(value, isSingle: false)
        try text(.signature, value)
    }

    /// Appends a duplicate of a file descriptor (`h`); the caller keeps its own.
    public mutating func descriptor(_ value: borrowing OwnedDescriptor) {
        grow(by: 4, alignedTo: 4)
        guard failure == nil else { return }
        var number = value.number
        if unsafe dbus_message_iter_append_basic(&iterator, WireType.descriptor.rawValue, &number) == 0 {
            failure = WireSize.limitExceeded("The file descriptor \(number) cannot be duplicated.")
        }
    }

    /// Appends an array of bytes (`ay`).
    public mutating func bytes(_ value: [UInt8]) {
        grow(by: 4 + value.count, alignedTo: 4)
        if value.count > WireSize.longestArray { failure = WireSize.limitExceeded("An array has at most 64 MiB.") }
        guard failure == nil else { return }
        var inner = MessageWriter(inside: self)
        guard unsafe dbus_message_iter_open_container(&iterator, WireType.array.rawValue, "y", &inner.iterator) != 0
        else { outOfMemory() }
        unsafe value.withUnsafeBufferPointer {
            var start = $0.baseAddress
            if unsafe start != nil,
                unsafe dbus_message_iter_append_fixed_array(
                    &inner.iterator, WireType.byte.rawValue, &start, Int32($0.count)) == 0
            {
                outOfMemory()
            }
        }
        if unsafe dbus_message_iter_close_container(&iterator, &inner.iterator) == 0 { outOfMemory() }
    }

    /// Appends an array. `element` is the signature of one element; the closure appends the elements.
    public mutating func array(
        of element: String, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        // Validates the signature with the “a”, because a dictionary entry is valid only in an array.
        try Self.check("a\(element)", isSingle: true)
        try container(.array, element, body)
    }

    /// Appends an entry of the open dictionary. The closure appends the key, then the value.
    public mutating func entry(_ body: (inout MessageWriter) throws(DBusError) -> Void) throws(DBusError) {
        try container(.entry, nil, body)
    }

    /// Appends a structure. The closure appends its members.
    public mutating func structure(_ body: (inout MessageWriter) throws(DBusError) -> Void) throws(DBusError) {
        try container(.structure, nil, body)
    }

    /// Appends a variant. The closure appends one value of the signature's type.
    public mutating func variant(
        of signature: String, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        try Self.check(signature, isSingle: true)
        try container(.variant, signature, body)
    }

    private mutating func container(
        _ type: WireType, _ signature: String?, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        if let failure { throw failure }
        var inner = MessageWriter(inside: self)
        inner.size.enter(type, signature)
        if let failure = inner.size.failure { throw failure }
        let start = inner.size.bytes
        guard unsafe dbus_message_iter_open_container(&iterator, type.rawValue, signature, &inner.iterator) != 0 else {
            outOfMemory()
        }
        do throws(DBusError) {
            try body(&inner)
            if let failure = inner.failure { throw failure }
            if type == .array, inner.size.bytes - start > WireSize.longestArray {
                throw WireSize.limitExceeded("An array has at most 64 MiB.")
            }
        } catch {
            unsafe dbus_message_iter_abandon_container(&iterator, &inner.iterator)
            throw error
        }
        size = inner.size
        size.leave()
        if unsafe dbus_message_iter_close_container(&iterator, &inner.iterator) == 0 { outOfMemory() }
    }

    private static func check(_ signature: String, isSingle: Bool) throws(DBusError) {
        let isValid =
            unsafe isSingle
            ? dbus_signature_validate_single(signature, nil) : dbus_signature_validate(signature, nil)
        guard isValid != 0, !signature.utf8.contains(0) else {
            throw .invalidArgument("“\(signature)” is not a valid signature.")
        }
    }
}
