internal import CDBus

/// A reader that returns the values of a message in order, and checks the type of each value.
///
/// Each method reads the current value and moves past it. If the value has another type, the method throws
/// ``DBusError/malformed(_:)`` and does not move. Closures read the content of containers, so that no iterator of
/// libdbus outlives the stack frame that made it.
@safe
public struct MessageReader: ~Copyable {
    var iterator = unsafe DBusMessageIter()
    private var steps = 0

    init(body message: OpaquePointer) {
        unsafe dbus_message_iter_init(message, &iterator)
    }

    private init(inside parent: inout DBusMessageIter) {
        unsafe dbus_message_iter_recurse(&parent, &iterator)
    }

    /// The type of the current value.
    public var type: WireType {
        mutating get { unsafe WireType(rawValue: dbus_message_iter_get_arg_type(&iterator)) }
    }

    /// Whether no value is left.
    public var isAtEnd: Bool { mutating get { type == .end } }

    /// Moves past the current value, of any type.
    public mutating func skip() {
        steps += 1
        _ = unsafe dbus_message_iter_next(&iterator)
    }

    mutating func expect(_ expected: WireType) throws(DBusError) {
        let found = type
        guard found == expected else {
            throw .malformed("Expected a value of type “\(expected.text)”, found “\(found.text)”.")
        }
    }

    // Checks the declared type of the elements, which an empty array also has.
    mutating func expectArray(of element: WireType) throws(DBusError) {
        try expect(.array)
        let found = unsafe WireType(rawValue: dbus_message_iter_get_element_type(&iterator))
        guard found == element else {
            throw .malformed("Expected an array of “\(element.text)”, found one of “\(found.text)”.")
        }
    }

    /// Reads a value of fixed size. `Number` must have the size of the value that libdbus writes.
    mutating func fixed<Number: BitwiseCopyable>(_ type: WireType, _ initial: Number) throws(DBusError) -> Number {
        try expect(type)
        var number = initial
        unsafe dbus_message_iter_get_basic(&iterator, &number)
        skip()
        return number
    }

    /// Calls `body` with a reader of the current container, then moves past the container.
    mutating func enter<Result: ~Copyable>(
        _ type: WireType, _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        try expect(type)
        var inner = unsafe MessageReader(inside: &iterator)
        let result = try body(&inner)
        skip()
        return result
    }

    /// Reads an array: calls `element` once per element.
    ///
    /// If `element` reads nothing, the element is skipped.
    public mutating func array(_ element: (inout MessageReader) throws(DBusError) -> Void) throws(DBusError) {
        try enter(.array) { (inner) throws(DBusError) in
            while !inner.isAtEnd {
                let before = inner.steps
                try element(&inner)
                if inner.steps == before { inner.skip() }
            }
        }
    }

    /// Reads a dictionary: calls `entry` once per entry, with a reader of the key and the value.
    public mutating func dictionary(_ entry: (inout MessageReader) throws(DBusError) -> Void) throws(DBusError) {
        try expectArray(of: .entry)
        try array { (element) throws(DBusError) in try element.enter(.entry, entry) }
    }

    /// Reads a dictionary of names and variants (`a{sv}`).
    ///
    /// `property` gets the bytes of a name and a reader of the variant's content. If `property` throws, `failed` gets
    /// the name and the error, and reading continues with the next property.
    public mutating func properties(
        _ property: (Span<UInt8>, inout MessageReader) throws(DBusError) -> Void,
        failed: (Span<UInt8>, DBusError) -> Void = { _, _ in }
    ) throws(DBusError) {
        try dictionary { (entry) throws(DBusError) in
            try entry.expect(.string)
            var name: UnsafePointer<CChar>?
            unsafe dbus_message_iter_get_basic(&entry.iterator, &name)
            entry.skip()
            guard let name = unsafe name else { return }
            try unsafe withSpan(name) { (name) throws(DBusError) in
                try entry.variant { (value) throws(DBusError) in
                    do throws(DBusError) { try property(name, &value) } catch { failed(name, error) }
                }
            }
        }
    }

    /// Reads a variant: `body` gets a reader of its content.
    public mutating func variant<Result: ~Copyable>(
        _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result { try enter(.variant, body) }

    /// Reads a structure: `body` gets a reader of its members.
    public mutating func structure<Result: ~Copyable>(
        _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result { try enter(.structure, body) }
}

// MARK: Basic types

extension MessageReader {
    // Q5: a Boolean has four bytes on the wire.
    /// Reads a Boolean (`b`).
    public mutating func bool() throws(DBusError) -> Bool { try fixed(.bool, UInt32(0)) != 0 }
    /// Reads a byte (`y`).
    public mutating func byte() throws(DBusError) -> UInt8 { try fixed(.byte, 0) }
    /// Reads a signed number of 16 bits (`n`).
    public mutating func int16() throws(DBusError) -> Int16 { try fixed(.int16, 0) }
    /// Reads an unsigned number of 16 bits (`q`).
    public mutating func uint16() throws(DBusError) -> UInt16 { try fixed(.uint16, 0) }
    /// Reads a signed number of 32 bits (`i`).
    public mutating func int32() throws(DBusError) -> Int32 { try fixed(.int32, 0) }
    /// Reads an unsigned number of 32 bits (`u`).
    public mutating func uint32() throws(DBusError) -> UInt32 { try fixed(.uint32, 0) }
    /// Reads a signed number of 64 bits (`x`).
    public mutating func int64() throws(DBusError) -> Int64 { try fixed(.int64, 0) }
    /// Reads an unsigned number of 64 bits (`t`).
    public mutating func uint64() throws(DBusError) -> UInt64 { try fixed(.uint64, 0) }
    /// Reads a number with a fraction (`d`).
    public mutating func double() throws(DBusError) -> Double { try fixed(.double, 0) }

    /// Reads a string (`s`).
    public mutating func string() throws(DBusError) -> String {
        try unsafe text(.string) { unsafe String(cString: $0) }
    }

    /// Reads an object path (`o`).
    public mutating func objectPath() throws(DBusError) -> ObjectPath {
        try unsafe text(.objectPath) { ObjectPath(valid: unsafe String(cString: $0)) }
    }

    /// Reads a signature (`g`).
    public mutating func signature() throws(DBusError) -> String {
        try unsafe text(.signature) { unsafe String(cString: $0) }
    }

    /// Calls `body` with the bytes of a string (`s`), without making a String.
    public mutating func withString<Result>(_ body: (Span<UInt8>) -> Result) throws(DBusError) -> Result {
        try unsafe text(.string) { unsafe withSpan($0, body) }
    }

    /// Calls `body` with the bytes of an object path (`o`), without making a String.
    public mutating func withObjectPath<Result>(_ body: (Span<UInt8>) -> Result) throws(DBusError) -> Result {
        try unsafe text(.objectPath) { unsafe withSpan($0, body) }
    }

    /// Reads a file descriptor (`h`); the caller owns it.
    public mutating func descriptor() throws(DBusError) -> OwnedDescriptor {
        try expect(.descriptor)
        // Checks the number, because libdbus does not check the index of the descriptor in the body.
        var number: Int32 = -1
        unsafe dbus_message_iter_get_basic(&iterator, &number)
        guard number >= 0 else { throw .malformed("The message contains no file descriptor.") }
        skip()
        return OwnedDescriptor(adopting: number)
    }

    /// Reads an array of bytes (`ay`).
    public mutating func bytes() throws(DBusError) -> [UInt8] {
        try expectArray(of: .byte)
        return try enter(.array) { (inner) throws(DBusError) in
            var start: UnsafePointer<UInt8>?
            var count: Int32 = 0
            unsafe dbus_message_iter_get_fixed_array(&inner.iterator, &start, &count)
            return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
        }
    }

    /// Reads an array of strings (`as`).
    public mutating func strings() throws(DBusError) -> [String] {
        try expectArray(of: .string)
        var strings: [String] = []
        try array { (element) throws(DBusError) in strings.append(try element.string()) }
        return strings
    }

    private mutating func text<Result>(
        _ type: WireType, _ body: (UnsafePointer<CChar>) -> Result
    ) throws(DBusError) -> Result {
        try expect(type)
        var pointer: UnsafePointer<CChar>?
        unsafe dbus_message_iter_get_basic(&iterator, &pointer)
        guard let pointer = unsafe pointer else { throw .malformed("The message contains no text.") }
        let result = unsafe body(pointer)
        skip()
        return result
    }
}
