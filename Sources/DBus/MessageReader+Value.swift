internal import CDBus

/// Reading any value as data. The wire's limit of 64 nested containers bounds the recursion.
extension MessageReader {
    /// Reads whatever the reader stands at. File descriptors are not data, and are refused.
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

    /// Reads all values that are left.
    public mutating func values() throws(DBusError) -> [Value] {
        var values: [Value] = []
        while !isAtEnd { values.append(try value()) }
        return values
    }

    private mutating func arrayValue() throws(DBusError) -> Value {
        let element = WireType(rawValue: unsafe dbus_message_iter_get_element_type(&iterator))
        if element == .byte { return .bytes(try bytes()) }
        let signature = containerSignature().dropFirst()
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

    private mutating func containerSignature() -> String {
        guard let text = unsafe dbus_message_iter_get_signature(&iterator) else { return "" }
        defer { unsafe dbus_free(text) }
        return unsafe String(cString: text)
    }
}
