internal import CDBus

/// Reading the basic types.
extension MessageReader {
    /// Reads a Boolean. D-Bus gives it four bytes (Q5).
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

    /// Lends the bytes of a string (`s`) without making a String.
    public mutating func withString<Result>(_ body: (Span<UInt8>) -> Result) throws(DBusError) -> Result {
        try unsafe text(.string) { unsafe withSpan($0, body) }
    }

    /// Lends the bytes of an object path (`o`) without making a String.
    public mutating func withObjectPath<Result>(_ body: (Span<UInt8>) -> Result) throws(DBusError) -> Result {
        try unsafe text(.objectPath) { unsafe withSpan($0, body) }
    }

    /// Reads a file descriptor (`h`); the caller owns it.
    public mutating func descriptor() throws(DBusError) -> OwnedDescriptor {
        try expect(.descriptor)
        // libdbus does not check the number by which a body names one of the message's descriptors.
        var number: Int32 = -1
        unsafe dbus_message_iter_get_basic(&iterator, &number)
        guard number >= 0 else { throw .malformed("The message bears no file descriptor.") }
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
        guard let pointer = unsafe pointer else { throw .malformed("The message bears no text.") }
        let result = unsafe body(pointer)
        skip()
        return result
    }
}
