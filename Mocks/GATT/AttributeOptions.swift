import DBus

/// The arguments of `ReadValue` and `WriteValue`. Names of options are compared without regard to case, as bluetoothd does;
/// a type is looked at only where a characteristic is written.
struct AttributeOptions {
    private(set) var value: [UInt8] = []
    private(set) var offset = 0
    private(set) var type: String?

    init(_ call: Message, hasValue: Bool = false, hasType: Bool = false) throws(DBusError) {
        let values = try call.read { (body) throws(DBusError) in try body.values() }
        if hasValue, case .bytes(let bytes)? = values.first { value = bytes }
        guard case .dictionary(_, _, let entries)? = values.last else { throw BlueZError.invalidArguments }
        for entry in entries {
            guard case .string(let name) = entry.key, case .variant(let content) = entry.value else { continue }
            switch (name.lowercased(), content) {
            case ("offset", .uint16(let number)): offset = Int(number)
            case ("type", .string(let text)) where hasType: type = text.lowercased()
            case ("offset", _): throw BlueZError.invalidArguments
            case ("type", _) where hasType: throw BlueZError.invalidArguments
            default: break
            }
        }
    }

    /// Writes with an offset and reliable ones go in parts, of which an empty value has none.
    func refuseEmptyLongWrite(isReliable: Bool = false) throws(DBusError) {
        if value.isEmpty, isReliable || offset > 0 { throw BlueZError.failed("Failed to initiate write") }
    }
}

/// A read that several callers wait for: of the same offset, they share one request (B4, src/gatt-client.c).
struct SharedRead {
    private var calls: [IncomingCall] = []
    private var offset = 0

    /// Adds a caller. True where a request must be made.
    mutating func join(_ call: IncomingCall, offset: Int) throws(DBusError) -> Bool {
        if !calls.isEmpty, offset != self.offset { throw BlueZError.inProgress }
        self.offset = offset
        calls.append(call)
        return calls.count == 1
    }

    mutating func finish() -> [IncomingCall] {
        defer { calls = [] }
        return calls
    }
}

extension SimulatedAnswer.ATTOutcome {
    /// What bluetoothd answers for an outcome that is no success.
    var error: DBusError {
        if case .error(let code) = self { return BlueZError.att(code) }
        return BlueZError.failed("Operation failed")
    }
}
