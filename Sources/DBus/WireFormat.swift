// Declares the types again, because libdbus's `DBUS_TYPE_*` are macros that Swift does not import.
/// The type of a value in a message. Source: D-Bus specification, "Summary of types".
public struct WireType: RawRepresentable, Hashable, Sendable {
    /// The type's character in a signature, or 0 after the last value.
    public let rawValue: Int32

    /// Makes a type from its character.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    private init(_ character: Unicode.Scalar) { rawValue = Int32(character.value) }

    static let end = WireType(rawValue: 0)
    static let byte = WireType("y")
    static let bool = WireType("b")
    static let int16 = WireType("n")
    static let uint16 = WireType("q")
    static let int32 = WireType("i")
    static let uint32 = WireType("u")
    static let int64 = WireType("x")
    static let uint64 = WireType("t")
    static let double = WireType("d")
    static let string = WireType("s")
    static let objectPath = WireType("o")
    static let signature = WireType("g")
    static let descriptor = WireType("h")
    static let array = WireType("a")
    static let variant = WireType("v")
    static let structure = WireType("r")
    static let entry = WireType("e")

    var text: String { rawValue == 0 ? "nothing" : String(Unicode.Scalar(UInt8(truncatingIfNeeded: rawValue))) }

    /// The size of a value in bytes, which is also its alignment; nil for texts and containers.
    var fixedSize: Int? {
        switch self {
        case .byte: 1
        case .int16, .uint16: 2
        case .bool, .int32, .uint32, .descriptor: 4
        case .int64, .uint64, .double: 8
        default: nil
        }
    }

    /// The alignment of a value in bytes. Source: D-Bus specification, "Summary of D-Bus marshaling".
    var alignment: Int {
        switch self {
        case .byte, .signature, .variant: 1
        case .int16, .uint16: 2
        case .int64, .uint64, .double, .structure, .entry: 8
        default: 4
        }
    }
}

// Q13: libdbus sends a message that is too big or too deep, and the bus then disconnects us.
/// The size and nesting depth of a message body, checked against the limits of a bus.
///
/// Source: D-Bus specification, "Marshaling".
struct WireSize {
    private(set) var bytes = 0
    private(set) var depth = 0

    /// A message has at most 128 MiB; 64 KiB of that are reserved for the header.
    private static let longestBody = longestMessage - (64 << 10)
    static let longestMessage = 128 << 20
    /// An array has at most 64 MiB.
    static let longestArray = 64 << 20
    static let deepest = 64

    mutating func add(_ count: Int, alignedTo alignment: Int = 1) {
        bytes = (bytes + alignment - 1) & ~(alignment - 1)
        bytes += count
    }

    /// Adds the start of a container to the size, including the signature of a variant.
    mutating func enter(_ type: WireType, _ signature: String?) {
        depth += 1
        switch type {
        case .array: add(4, alignedTo: 4)
        case .variant: add((signature?.utf8.count ?? 0) + 2)
        default: add(0, alignedTo: 8)
        }
    }

    mutating func leave() { depth -= 1 }

    /// Why this body cannot be sent; nil if it can be sent.
    var failure: DBusError? {
        if bytes > Self.longestBody { return Self.limitExceeded("A message has at most 128 MiB.") }
        return depth > Self.deepest ? .invalidArgument("A message nests at most 64 containers.") : nil
    }

    static func limitExceeded(_ text: String) -> DBusError {
        DBusError(name: DBusError.Name.limitsExceeded, message: text)
    }
}
