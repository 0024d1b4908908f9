import RxBluetooth

/// A command-line argument that names a characteristic.
enum CharacteristicArgument: Equatable, Sendable {
    case uuid(BluetoothUUID)
    case handle(UInt16)
    /// A whole assigned name. If the device does not have this characteristic, the name is a part of another.
    case named(BluetoothUUID, String)
    /// A part of the assigned names of some characteristics. The device decides which one is meant.
    case part(String)

    /// Reads a UUID, a handle such as `@000b`, a name, or a part of one.
    ///
    /// A UUID has 16, 32 or 128 bits, with or without `0x` and dashes.
    init(parsing text: String) throws(CLIError) {
        let trimmed = text.trimmed
        guard !trimmed.isEmpty else {
            throw CLIError(.usage, "The characteristic is empty. \(Self.forms)")
        }
        if trimmed.hasPrefix("@") {
            guard let handle = AttributeHandle.parse(trimmed) else {
                throw CLIError(
                    .usage, "“\(trimmed)” is not a handle. Give one such as @000b, as printed by ble-cli connect.")
            }
            self = .handle(handle)
        } else if let uuid = BluetoothUUID(userInput: trimmed) {
            self = .uuid(uuid)
        } else if let uuid = BluetoothUUID.characteristic(named: trimmed) {
            self = .named(uuid, trimmed)
        } else if !BluetoothUUID.characteristics(containing: trimmed).isEmpty {
            self = .part(trimmed)
        } else {
            throw CLIError(.usage, "“\(trimmed)” is not a characteristic. \(Self.forms)")
        }
    }

    /// Reads the arguments of a command for several characteristics.
    static func list(_ texts: [String]) throws(CLIError) -> [CharacteristicArgument] {
        var list: [CharacteristicArgument] = []
        for text in texts { list.append(try CharacteristicArgument(parsing: text)) }
        return list
    }

    private static let forms =
        "Give a UUID such as 2A37, a name such as “Heart Rate Measurement” or a part of one, or a handle such as @000b."
}

extension CharacteristicArgument: CustomStringConvertible {
    var description: String {
        switch self {
        case .uuid(let uuid): uuid.description
        case .handle(let handle): AttributeHandle.text(handle)
        case .named(_, let name), .part(let name): "“\(name)”"
        }
    }

    /// Whether the argument names a characteristic with this UUID and handle.
    func matches(_ uuid: BluetoothUUID, _ handle: UInt16) -> Bool {
        switch self {
        case .uuid(let wanted), .named(let wanted, _): uuid == wanted
        case .handle(let wanted): handle == wanted
        case .part(let part): uuid.name?.lowercased().contains(part.lowercased()) == true
        }
    }
}

/// Attribute handles as text: `@000b`.
///
/// The sign `@` distinguishes handles from 16-bit UUIDs. Shells do not interpret it.
enum AttributeHandle {
    static func text(_ handle: UInt16) -> String { "@" + HexBytes.text(handle) }

    static func parse(_ text: String) -> UInt16? {
        let digits = text.dropFirst()
        guard text.hasPrefix("@"), (1...4).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit) else {
            return nil
        }
        return UInt16(digits, radix: 16)
    }
}

extension BluetoothUUID {
    /// Makes a UUID from text that may begin with `0x`, and may have no dashes.
    init?(userInput text: String) {
        var digits = text.trimmed
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits.removeFirst(2) }
        if digits.utf8.count == 32 {
            for place in [20, 16, 12, 8] {
                digits.insert("-", at: digits.utf8.index(digits.startIndex, offsetBy: place))
            }
        }
        self.init(digits)
    }
}

/// A command-line argument that names a service.
enum ServiceArgument {
    /// Reads a UUID of 16, 32 or 128 bits with or without `0x` and dashes, a name, or a part of only one name.
    static func parse(_ text: String) throws(CLIError) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(userInput: text) ?? BluetoothUUID.service(named: text.trimmed) else {
            let named = text.trimmed.isEmpty ? [] : BluetoothUUID.services(containing: text.trimmed)
            if let only = named.first, named.count == 1 { return only }
            if !named.isEmpty {
                let list = named.prefix(8).map { "\($0) “\($0.name ?? "")”" }.joined(separator: ", ")
                throw CLIError(
                    .usage,
                    "“\(text)” matches \(named.count) services: \(list)\(named.count > 8 ? ", …" : ""). Give a UUID, or more "
                        + "of the name.")
            }
            throw CLIError(
                .usage, "“\(text)” is not a service. Give a UUID such as 180D, or a name such as “Heart Rate”.")
        }
        return uuid
    }
}
