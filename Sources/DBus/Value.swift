/// Any D-Bus value as data. For what is not on a hot path: property tables, options, tests, tools.
///
/// Hot paths read with ``MessageReader`` and write with ``MessageWriter``, which box nothing.
public indirect enum Value: Hashable, Sendable {
    /// One value of a basic type.
    case bool(Bool), byte(UInt8), int16(Int16), uint16(UInt16), int32(Int32), uint32(UInt32)
    /// One value of a basic type.
    case int64(Int64), uint64(UInt64), double(Double), string(String), objectPath(ObjectPath), signature(String)
    /// An array of bytes (`ay`), which BlueZ uses for all binary data.
    case bytes([UInt8])
    /// An array of other values, with the signature of one element.
    case array(of: String, [Value])
    /// A dictionary, with the signatures of key and value; the order of its entries is kept.
    case dictionary(key: String, value: String, [Entry])
    /// A structure; it has at least one member.
    case structure([Value])
    /// A value that bears its type with it.
    case variant(Value)

    /// One entry of a dictionary.
    public struct Entry: Hashable, Sendable {
        /// The key, of a basic type.
        public let key: Value
        /// The value under the key.
        public let value: Value

        /// Makes an entry.
        public init(_ key: Value, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// A dictionary from names to variants (`a{sv}`), in the order of the names so that it repeats.
    public static func properties(_ properties: [String: Value]) -> Value {
        .dictionary(
            key: "s", value: "v",
            properties.sorted { $0.key < $1.key }.map { Entry(.string($0.key), .variant($0.value)) })
    }

    /// An array of strings (`as`).
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
