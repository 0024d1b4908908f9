import DBus

/// A request of a central, read from a call of bluetoothd.
///
/// Source: BlueZ 5.66, `src/gatt-database.c`, `append_options`.
struct LocalRequest {
    let isRead: Bool
    var device: DeviceKey?
    var offset = 0
    /// The MTU of the link; nil if bluetoothd does not send it.
    var mtu: Int?
    /// Whether the write is one that bluetoothd does not confirm to the central. BlueZ 5.66 does not send this.
    var isCommand = false
    /// Whether bluetoothd only requests permission for a prepared write, which follows later.
    var isPreparation = false
    var value: [UInt8] = []

    init(_ call: Message, isRead: Bool) throws(DBusError) {
        self.isRead = isRead
        let values = try call.read { (body) throws(DBusError) in try body.values() }
        if !isRead {
            guard case .bytes(let bytes)? = values.first else { throw .malformed("A write has no value.") }
            value = bytes
        }
        guard values.count == (isRead ? 1 : 2), case .dictionary("s", "v", let options)? = values.last else {
            throw .malformed("The options of a request are missing.")
        }
        for option in options {
            guard case .string(let name) = option.key, case .variant(let value) = option.value else { continue }
            switch (name, value) {
            case ("device", .objectPath(let path)):
                if case .device(let key)? = ObjectKey(path) { device = key }
            case ("offset", .uint16(let number)): offset = Int(number)
            case ("mtu", .uint16(let number)): mtu = Int(number)
            case ("type", .string(let text)): isCommand = text == "command"
            case ("prepare-authorize", .bool(let isSet)): isPreparation = isSet
            case ("offset", _): throw .malformed("The offset of a request is not a number.")
            default: break
            }
        }
        isCommand = isCommand || !isRead && call.noReplyExpected
    }

    /// Why a write does not fit into an attribute; nil if it fits.
    var flaw: ATTError? {
        if offset > Characteristic.longestValue { return .invalidOffset }
        return offset + value.count > Characteristic.longestValue ? .invalidValueLength : nil
    }

    /// The fewest bytes of a value that a central reads in several parts.
    var packetLength: Int { max(mtu ?? 23, 23) - 1 }
}

/// The values that centrals are reading in parts, so that all parts belong to the same value.
struct LongReads {
    struct Key: Hashable {
        let device: DeviceKey?
        let attribute: LocalAttribute
    }

    /// How many values are kept. A central that reads only the beginning of values leaves them here.
    private static let limit = 64

    private var values: [Key: [UInt8]] = [:]
    private var order: [Key] = []

    subscript(key: Key) -> [UInt8]? { values[key] }

    /// Keeps a value for the parts that follow, or forgets the earlier value if no part follows.
    mutating func begin(_ value: [UInt8], _ key: Key, packetLength: Int) {
        order.removeAll { $0 == key }
        values[key] = nil
        guard value.count >= packetLength else { return }
        if order.count == Self.limit { values[order.removeFirst()] = nil }
        values[key] = value
        order.append(key)
    }
}

extension ATTError {
    /// The D-Bus error that bluetoothd turns into this ATT error.
    var dbusError: DBusError {
        switch self {
        case .notPermitted: Self.bluez("NotPermitted", "Not permitted")
        case .requestNotSupported: Self.bluez("NotSupported", "Not supported")
        case .invalidOffset: Self.bluez("InvalidOffset", "Invalid offset")
        case .insufficientAuthorization: Self.bluez("NotAuthorized", "Not authorized")
        case .invalidValueLength: Self.bluez("InvalidValueLength", "Invalid length")
        case .procedureInProgress: Self.bluez("InProgress", "In progress")
        // bluetoothd reads the code from the text, and accepts only numbers from 0x80 to 0x9F.
        case .application(let code) where 0x80...0x9F ~= code: Self.bluez("Failed", "0x" + Hex.text(code))
        // bluetoothd sends 0x0E for errors with other names.
        case .unlikelyError, .application: DBusError(name: DBusError.Name.failed, message: "Unlikely error")
        }
    }

    private static func bluez(_ name: String, _ text: String) -> DBusError {
        DBusError(name: "org.bluez.Error." + name, message: text)
    }
}
