// MARK: Reading

// `value()` calls itself for containers. D-Bus allows 64 nested containers, which bounds the recursion.
extension MessageReader {
    /// Reads the current value, of any type except a file descriptor.
    public mutating func value() throws(DBusError) -> Value {
        switch type {
        case .bool: .bool(try bool())
        case .byte: .byte(try byte())
        case .int16: .int16(try int16())
        case .uint16: .uint16(try uint16())
        case .int32: .int32(try int32())
        case .uint32: .uint32(try uint32())
        case .int64: .int64(try int64())
        case .uint64: .uint64(try uint64())
        case .double: .double(try double())
        case .string: .string(try string())
        case .objectPath: .objectPath(try objectPath())
        case .signature: .signature(try signature())
        case .variant: .variant(try variant { (inner) throws(DBusError) in try inner.value() })
        case .structure: .structure(try structure { (inner) throws(DBusError) in try inner.values() })
        case .array: try arrayValue()
        case let other: throw .malformed("A value of type “\(other.text)” cannot be read as data.")
        }
    }

    /// Reads all remaining values.
    public mutating func values() throws(DBusError) -> [Value] {
        var values: [Value] = []
        while !isAtEnd { values.append(try value()) }
        return values
    }

    private mutating func arrayValue() throws(DBusError) -> Value {
        let element = elementType
        if element == .byte { return .bytes(try bytes()) }
        let signature = currentSignature().dropFirst()
        if element == .entry {
            var entries: [Value.Entry] = []
            try dictionary { (entry) throws(DBusError) in
                entries.append(Value.Entry(try entry.value(), try entry.value()))
            }
            let inside = signature.dropFirst().dropLast()
            return .dictionary(key: String(inside.prefix(1)), value: String(inside.dropFirst()), entries)
        }
        var elements: [Value] = []
        try array { (inner) throws(DBusError) in elements.append(try inner.value()) }
        return .array(of: String(signature), elements)
    }

    private func currentSignature() -> String {
        let count = unsafe WireSignature.end(of: types) - types
        return unsafe String(decoding: UnsafeBufferPointer(start: types, count: count), as: UTF8.self)
    }
}

// MARK: Writing

extension MessageWriter {
    /// Appends a value with its own type.
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

    // Throws if a value does not have the type that its container declares, because libdbus would abort the process.
    private mutating func checked(_ item: Value, _ expected: String) throws(DBusError) {
        guard item.signature == expected else {
            throw .invalidArgument("A value of type “\(item.signature)” is in a container of “\(expected)”.")
        }
        try value(item)
    }
}
