/// Appending any value as data.
extension MessageWriter {
    /// Appends a value with the type that it bears.
    public mutating func value(_ value: Value) throws(DBusError) {
        switch value {
        case .bool(let value): bool(value)
        case .byte(let value): byte(value)
        case .int16(let value): int16(value)
        case .uint16(let value): uint16(value)
        case .int32(let value): int32(value)
        case .uint32(let value): uint32(value)
        case .int64(let value): int64(value)
        case .uint64(let value): uint64(value)
        case .double(let value): double(value)
        case .string(let value): try string(value)
        case .objectPath(let value): try objectPath(value)
        case .signature(let value): try signature(value)
        case .bytes(let value): bytes(value)
        case .array(let element, let elements):
            try array(of: element) { (inner) throws(DBusError) in
                for item in elements { try inner.checked(item, element) }
            }
        case .dictionary(let key, let content, let entries):
            try array(of: "{\(key)\(content)}") { (inner) throws(DBusError) in
                for item in entries {
                    try inner.entry { (pair) throws(DBusError) in
                        try pair.checked(item.key, key)
                        try pair.checked(item.value, content)
                    }
                }
            }
        case .structure(let members):
            guard !members.isEmpty else { throw .invalidArgument("A structure has at least one member.") }
            try structure { (inner) throws(DBusError) in
                for member in members { try inner.value(member) }
            }
        case .variant(let content):
            try variant(of: content.signature) { (inner) throws(DBusError) in try inner.value(content) }
        }
    }

    /// Appends a dictionary of names and variants (`a{sv}`).
    public mutating func properties(_ properties: [String: Value]) throws(DBusError) {
        try value(.properties(properties))
    }

    /// libdbus aborts on an element that differs from its array's type, so this throws first.
    private mutating func checked(_ item: Value, _ expected: String) throws(DBusError) {
        guard item.signature == expected else {
            throw .invalidArgument("A value of type “\(item.signature)” stands where “\(expected)” was announced.")
        }
        try value(item)
    }
}
