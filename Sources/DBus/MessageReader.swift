import Glibc

/// A reader that returns the values of a message in order, and checks the type of each value.
///
/// Each method reads the current value and moves past it. If the value has another type, the method throws
/// ``DBusError/malformed(_:)`` and does not move. Closures read the content of containers, so that no reader outlives
/// the bytes that it reads.
@safe
public struct MessageReader: ~Copyable {
    // Every access checks the end of the container, and every signature is validated before its use: a received body is
    // not validated before.
    /// The first byte of the body. Alignment counts from here.
    let base: UnsafeRawPointer
    /// The offsets of the next value, and of the end of the container.
    private(set) var position: Int
    private let end: Int
    /// The signature from the current value on. In an array, the signature of one element.
    private(set) var types: UnsafePointer<UInt8>
    private let isArray: Bool
    /// The number of containers around this one.
    private let depth: Int
    /// The descriptors among the message's arguments; none in a container.
    private let descriptors: DescriptorSource
    private var steps = 0

    /// Makes a reader of a message's arguments.
    init(_ body: MessageBody, _ descriptors: DescriptorSource) {
        unsafe (base, position, end, types) = (body.start, 0, body.count, body.signature)
        isArray = false
        depth = 0
        self.descriptors = descriptors
    }

    private init(
        inside parent: borrowing MessageReader, _ content: Range<Int>, _ types: UnsafePointer<UInt8>, isArray: Bool
    ) {
        unsafe (base, position, end) = (parent.base, content.lowerBound, content.upperBound)
        unsafe self.types = types
        self.isArray = isArray
        depth = parent.depth + 1
        descriptors = .none
    }

    /// The type of the current value.
    public var type: WireType {
        mutating get { isArray && position >= end ? .end : unsafe WireSignature.type(types) }
    }

    /// Whether no value is left.
    public var isAtEnd: Bool { mutating get { type == .end } }

    /// Moves past the current value, of any type.
    public mutating func skip() {
        let current = type
        guard current != .end else { return }
        // Only a faulty bus sends a value that ends beyond its container. The reader then moves to the end.
        move(past: (try? valueEnd(current)) ?? end)
    }

    /// Returns the offset after the current value; throws if the value is not valid.
    mutating func endOfValue() throws(DBusError) -> Int { try valueEnd(type) }

    /// Moves to the next value, which begins at an offset or at the first aligned offset after it.
    private mutating func move(past next: Int) {
        steps += 1
        position = next
        guard !isArray else { return }
        switch unsafe types.pointee {
        case UInt8(ascii: "a"), UInt8(ascii: "("), UInt8(ascii: "{"): unsafe types = WireSignature.end(of: types)
        default: unsafe types += 1
        }
    }

    /// Returns the offset after the current value.
    private mutating func valueEnd(_ current: WireType) throws(DBusError) -> Int {
        if let size = current.fixedSize { return try place(size, alignedTo: size) + size }
        switch current {
        case .string, .objectPath: return try textPlace(lengthSize: 4).upperBound + 1
        case .signature: return try textPlace(lengthSize: 1).upperBound + 1
        case .array: return try arrayContent().upperBound
        default:
            var inner = try contents(current)
            while !inner.isAtEnd { inner.skip() }
            return inner.position
        }
    }

    @inline(__always)
    mutating func expect(_ expected: WireType) throws(DBusError) {
        // The character of most types is also their character in a signature.
        if unsafe Int32(types.pointee) == expected.rawValue, !isArray || position < end { return }
        try expectSlowly(expected)
    }

    private mutating func expectSlowly(_ expected: WireType) throws(DBusError) {
        let found = type
        guard found == expected else {
            throw .malformed("Expected a value of type “\(expected.text)”, found “\(found.text)”.")
        }
    }

    // Checks the declared type of the elements, which an empty array also has.
    mutating func expectArray(of element: WireType) throws(DBusError) {
        try expect(.array)
        let found = elementType
        guard found == element else {
            throw .malformed("Expected an array of “\(element.text)”, found one of “\(found.text)”.")
        }
    }

    /// The type of the elements of the current value, which must be an array.
    var elementType: WireType { unsafe WireSignature.type(types + 1) }

    // MARK: Bytes

    /// Returns the first aligned offset with this number of bytes behind it.
    @inline(__always)
    private func place(_ count: Int, alignedTo alignment: Int) throws(DBusError) -> Int {
        let start = (position + alignment - 1) & ~(alignment - 1)
        guard count <= end - start else { throw Self.truncated }
        return start
    }

    private static var truncated: DBusError { .malformed("The message ends within a value.") }

    private func load<Number: BitwiseCopyable>(_ place: Int, as _: Number.Type) -> Number {
        unsafe base.loadUnaligned(fromByteOffset: place, as: Number.self)
    }

    /// Returns the offsets of the bytes of a text. A length precedes the bytes, and a NUL follows them.
    private func textPlace(lengthSize: Int) throws(DBusError) -> Range<Int> {
        let length = try place(lengthSize, alignedTo: lengthSize)
        let count = lengthSize == 4 ? Int(clamping: load(length, as: UInt32.self)) : Int(load(length, as: UInt8.self))
        let start = length + lengthSize
        guard count < end - start else { throw Self.truncated }
        return start..<start + count
    }

    /// Returns the offsets of the elements of the current array.
    private func arrayContent() throws(DBusError) -> Range<Int> {
        let length = try place(4, alignedTo: 4)
        let alignment = elementType.alignment
        let start = (length + 4 + alignment - 1) & ~(alignment - 1)
        let count = Int(clamping: load(length, as: UInt32.self))
        guard count <= end - start else { throw Self.truncated }
        return start..<start + count
    }

    /// Returns the bytes at these offsets.
    private func bytes(_ place: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + place.lowerBound, count: place.count)
    }

    /// Returns a reader of the content of the current value, which must be a container of this type.
    private func contents(_ type: WireType) throws(DBusError) -> MessageReader {
        guard depth < WireSize.deepest else { throw .malformed("The message nests too many containers.") }
        switch type {
        case .array:
            return unsafe MessageReader(inside: self, try arrayContent(), types + 1, isArray: true)
        case .variant:
            let signature = try textPlace(lengthSize: 1)
            let types = unsafe (base + signature.lowerBound).assumingMemoryBound(to: UInt8.self)
            guard unsafe types[signature.count] == 0,
                unsafe WireSignature.isOneType(UnsafeBufferPointer(start: types, count: signature.count))
            else { throw .malformed("The signature of a variant is not valid.") }
            return unsafe MessageReader(inside: self, signature.upperBound + 1..<end, types, isArray: false)
        default:
            return unsafe MessageReader(inside: self, try place(0, alignedTo: 8)..<end, types + 1, isArray: false)
        }
    }

    /// Reads a value of fixed size. `Number` must have the size of the type.
    private mutating func fixed<Number: BitwiseCopyable>(
        _ type: WireType, as _: Number.Type
    ) throws(DBusError) -> Number {
        try expect(type)
        let size = MemoryLayout<Number>.size
        let start = try place(size, alignedTo: size)
        let number = load(start, as: Number.self)
        move(past: start + size)
        return number
    }

    // MARK: Containers

    /// Calls `body` with a reader of the current container, then moves past the container.
    mutating func enter<Result: ~Copyable>(
        _ type: WireType, _ body: (inout MessageReader) throws(DBusError) -> Result
    ) throws(DBusError) -> Result {
        try expect(type)
        var inner = try contents(type)
        let result = try body(&inner)
        if type == .array {
            move(past: inner.end)
        } else {
            while !inner.isAtEnd { inner.skip() }
            move(past: inner.position)
        }
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
            let place = try entry.textPlace(lengthSize: 4)
            entry.move(past: place.upperBound + 1)
            let name = unsafe entry.bytes(place).assumingMemoryBound(to: UInt8.self).span
            try entry.variant { (value) throws(DBusError) in
                do throws(DBusError) { try property(name, &value) } catch { failed(name, error) }
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
    public mutating func bool() throws(DBusError) -> Bool { try fixed(.bool, as: UInt32.self) != 0 }
    /// Reads a byte (`y`).
    public mutating func byte() throws(DBusError) -> UInt8 { try fixed(.byte, as: UInt8.self) }
    /// Reads a signed number of 16 bits (`n`).
    public mutating func int16() throws(DBusError) -> Int16 { try fixed(.int16, as: Int16.self) }
    /// Reads an unsigned number of 16 bits (`q`).
    public mutating func uint16() throws(DBusError) -> UInt16 { try fixed(.uint16, as: UInt16.self) }
    /// Reads a signed number of 32 bits (`i`).
    public mutating func int32() throws(DBusError) -> Int32 { try fixed(.int32, as: Int32.self) }
    /// Reads an unsigned number of 32 bits (`u`).
    public mutating func uint32() throws(DBusError) -> UInt32 { try fixed(.uint32, as: UInt32.self) }
    /// Reads a signed number of 64 bits (`x`).
    public mutating func int64() throws(DBusError) -> Int64 { try fixed(.int64, as: Int64.self) }
    /// Reads an unsigned number of 64 bits (`t`).
    public mutating func uint64() throws(DBusError) -> UInt64 { try fixed(.uint64, as: UInt64.self) }
    /// Reads a number with a fraction (`d`).
    public mutating func double() throws(DBusError) -> Double { try fixed(.double, as: Double.self) }

    /// Reads a string (`s`).
    public mutating func string() throws(DBusError) -> String {
        try unsafe checkedText(.string) { bytes in
            unsafe bytes.contains(0) ? nil : String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Reads an object path (`o`).
    public mutating func objectPath() throws(DBusError) -> ObjectPath {
        try unsafe checkedText(.objectPath) { ObjectPath(unsafe String(decoding: $0, as: UTF8.self)) }
    }

    /// Reads a signature (`g`).
    public mutating func signature() throws(DBusError) -> String {
        try unsafe checkedText(.signature) { bytes in
            let isValid = unsafe WireSignature.isValid(bytes.assumingMemoryBound(to: UInt8.self))
            return isValid ? unsafe String(decoding: bytes, as: UTF8.self) : nil
        }
    }

    /// Calls `body` with the bytes of a string (`s`), without making a String.
    public mutating func withString<Result>(_ body: (Span<UInt8>) -> Result) throws(DBusError) -> Result {
        try unsafe text(.string) { unsafe body($0.assumingMemoryBound(to: UInt8.self).span) }
    }

    /// Calls `body` with the bytes of an object path (`o`), without making a String.
    public mutating func withObjectPath<Result>(_ body: (Span<UInt8>) -> Result) throws(DBusError) -> Result {
        try unsafe text(.objectPath) { unsafe body($0.assumingMemoryBound(to: UInt8.self).span) }
    }

    /// Reads a file descriptor (`h`); the caller owns it. It must be an argument, not content of a container.
    public mutating func descriptor() throws(DBusError) -> OwnedDescriptor {
        try expect(.descriptor)
        let place = try place(4, alignedTo: 4)
        guard let copy = descriptors.duplicate(argument: steps, index: load(place, as: UInt32.self)) else {
            throw .malformed("The message contains no such file descriptor, or it is in a container.")
        }
        skip()
        return copy
    }

    /// Reads an array of bytes (`ay`).
    public mutating func bytes() throws(DBusError) -> [UInt8] {
        try expectArray(of: .byte)
        let place = try arrayContent()
        let copy = unsafe [UInt8](bytes(place))
        move(past: place.upperBound)
        return copy
    }

    /// Reads an array of bytes (`ay`). Returns `old` if it has the same bytes, which saves an allocation.
    public mutating func bytes(reusing old: [UInt8]) throws(DBusError) -> [UInt8] {
        try expectArray(of: .byte)
        let place = try arrayContent()
        let isEqual = unsafe old.count == place.count && memcmp(old, base + place.lowerBound, place.count) == 0
        let result = unsafe isEqual ? old : [UInt8](bytes(place))
        move(past: place.upperBound)
        return result
    }

    /// Reads an array of strings (`as`).
    public mutating func strings() throws(DBusError) -> [String] {
        try expectArray(of: .string)
        var strings: [String] = []
        try array { (element) throws(DBusError) in strings.append(try element.string()) }
        return strings
    }

    private mutating func text<Result>(
        _ type: WireType, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(DBusError) -> Result {
        try expect(type)
        let place = try textPlace(lengthSize: type == .signature ? 1 : 4)
        let result = unsafe body(bytes(place))
        move(past: place.upperBound + 1)
        return result
    }

    /// Reads a text that `body` converts; throws and does not move if `body` returns nil.
    private mutating func checkedText<Result>(
        _ type: WireType, _ body: (UnsafeRawBufferPointer) -> Result?
    ) throws(DBusError) -> Result {
        try expect(type)
        let place = try textPlace(lengthSize: type == .signature ? 1 : 4)
        guard let result = unsafe body(bytes(place)) else {
            throw .malformed("The content of a value of type “\(type.text)” is not valid.")
        }
        move(past: place.upperBound + 1)
        return result
    }
}
