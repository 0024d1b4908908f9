/// Any D-Bus value as data, for property tables, options, tests and tools.
///
/// Hot paths use ``MessageReader`` and ``MessageWriter`` instead, which do not allocate.
public indirect enum Value: Hashable, Sendable {
    /// One value of a basic type.
    case bool(Bool), byte(UInt8), int16(Int16), uint16(UInt16), int32(Int32), uint32(UInt32)
    /// One value of a basic type.
    case int64(Int64), uint64(UInt64), double(Double), string(String), objectPath(ObjectPath), signature(String)
    /// An array of bytes (`ay`), which BlueZ uses for all binary data.
    case bytes([UInt8])
    /// An array of other values, with the signature of one element.
    case array(of: String, [Value])
    /// A dictionary, with the signatures of key and value. It keeps the order of its entries.
    case dictionary(key: String, value: String, [Entry])
    /// A structure, with at least one member.
    case structure([Value])
    /// A value together with its type.
    case variant(Value)

    /// One entry of a dictionary.
    public struct Entry: Hashable, Sendable {
        /// The key, of a basic type.
        public let key: Value
        /// The value of the entry.
        public let value: Value

        /// Makes an entry.
        public init(_ key: Value, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// Makes a dictionary of names and variants (`a{sv}`), sorted by name for a reproducible order.
    public static func properties(_ properties: [String: Value]) -> Value {
        .dictionary(
            key: "s", value: "v",
            properties.sorted { $0.key < $1.key }.map { Entry(.string($0.key), .variant($0.value)) })
    }

    /// Makes an array of strings (`as`).
    public static func strings(_ strings: [String]) -> Value { .array(of: "s", strings.map(Value.string)) }

    /// The signature of the value, for example `a{sv}`.
    public var signature: String {
        switch self {
        case .bool: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }
}
