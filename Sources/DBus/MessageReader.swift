internal import CDBus

/// Walks the values of a message, one after the other, checking the type of each.
///
/// Each method reads the value at which the reader stands and steps past it, or throws
/// ``DBusError/malformed(_:)`` and stays where it was. Containers are entered by closures, so that no iterator
/// of libdbus outlives the frame that made it.
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

    /// The type of the value at which the reader stands.
    public var type: WireType {
        mutating get { unsafe WireType(rawValue: dbus_message_iter_get_arg_type(&iterator)) }
    }

    /// Whether all values were read.
    public var isAtEnd: Bool { mutating get { type == .end } }

    /// Steps past one value, whatever it is.
    public mutating func skip() {
        steps += 1
        _ = unsafe dbus_message_iter_next(&iterator)
    }

    mutating func expect(_ expected: WireType) throws(DBusError) {
        let found = type
        guard found == expected else {
            throw .malformed("A value of type “\(expected.text)” was expected, and “\(found.text)” came.")
        }
    }

    /// An empty array has a type too.
    mutating func expectArray(of element: WireType) throws(DBusError) {
        try expect(.array)
        let found = unsafe WireType(rawValue: dbus_message_iter_get_element_type(&iterator))
        guard found == element else {
            throw .malformed("An array of “\(element.text)” was expected, and one of “\(found.text)” came.")
        }
    }

    /// Reads a fixed-size value into storage that is as wide as libdbus writes.
    mutating func fixed<Number: BitwiseCopyable>(_ type: WireType, _ initial: Number) throws(DBusError) -> Number {
        try expect(type)
        var number = initial
        unsafe dbus_message_iter_get_basic(&iterator, &number)
        skip()
        return number
    }

    /// Calls `body` with a reader of the container at which this reader stands, then steps past the container.
    mutating func enter<Result: ~Copyable>(
        _ type: WireType, _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        try expect(type)
        var inner = unsafe MessageReader(inside: &iterator)
        let result = try body(&inner)
        skip()
        return result
    }

    /// Reads an array: calls `element` once for each element. An element that the closure did not read is skipped.
    public mutating func array(_ element: (inout MessageReader) throws(DBusError) -> Void) throws(DBusError) {
        try enter(.array) { (inner) throws(DBusError) in
            while !inner.isAtEnd {
                let before = inner.steps
                try element(&inner)
                if inner.steps == before { inner.skip() }
            }
        }
    }

    /// Reads a dictionary: calls `entry` for each, with a reader that stands at the key and then at the value.
    public mutating func dictionary(_ entry: (inout MessageReader) throws(DBusError) -> Void) throws(DBusError) {
        try expectArray(of: .entry)
        try array { (element) throws(DBusError) in try element.enter(.entry, entry) }
    }

    /// Reads a dictionary of names and variants (`a{sv}`). `property` gets the name's bytes and a reader that stands
    /// at the variant's content. Where it throws, only that property is lost: `failed` gets its name and the error.
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

    /// Reads a variant: `body` gets a reader that stands at its content.
    public mutating func variant<Result: ~Copyable>(
        _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result { try enter(.variant, body) }

    /// Reads a structure: `body` gets a reader of its members.
    public mutating func structure<Result: ~Copyable>(
        _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result { try enter(.structure, body) }
}
