import DBus

/// The arguments of `ReadValue` and `WriteValue`.
/// Option names are case-insensitive, as in bluetoothd. Only characteristics have the option `type`.
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

    /// Rejects an empty value for long and reliable writes, as bluetoothd does.
    func refuseEmptyLongWrite(isReliable: Bool = false) throws(DBusError) {
        if value.isEmpty, isReliable || offset > 0 { throw BlueZError.failed("Failed to initiate write") }
    }
}

/// Concurrent reads of one attribute. Reads with the same offset share one request (src/gatt-client.c).
struct SharedRead {
    private var calls: [IncomingCall] = []
    private var offset = 0
    /// Whether bluetoothd has lost the request, and refuses all further reads (Q126).
    var isStale = false

    /// Adds a caller. Returns whether a request must be sent.
    mutating func join(_ call: IncomingCall, offset: Int) throws(DBusError) -> Bool {
        if isStale || !calls.isEmpty && offset != self.offset { throw BlueZError.inProgress }
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
    /// The error that bluetoothd returns for this outcome.
    var error: DBusError {
        if case .error(let code) = self { return BlueZError.att(code) }
        return BlueZError.failed("Operation failed")
    }
}
