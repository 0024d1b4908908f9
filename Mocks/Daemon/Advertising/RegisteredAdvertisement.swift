import DBus

/// The properties of an `LEAdvertisement1` object, validated as bluetoothd does.
/// Source: BlueZ 5.66, src/advertising.c and src/shared/ad.c.
struct RegisteredAdvertisement {
    private(set) var isPeripheral = false
    /// The timeout in seconds; 0 for none.
    private(set) var timeout: UInt16 = 0
    private(set) var includes: Set<String> = []
    private(set) var name: String?
    private(set) var appearance: UInt16?
    private(set) var hasFlags = false
    /// The size in bytes of the fields that this type counts but does not store, such as service UUIDs.
    private var fieldBytes = 0
    private var duration: UInt16 = 0
    private var discoverableTimeout: UInt16 = 0
    private var shortestInterval: UInt32 = 0
    private var longestInterval: UInt32 = 0

    static let mostBytes = 31
    static let includable = ["tx-power", "appearance", "local-name"]

    /// Returns nil if bluetoothd rejects the properties (parse_advertisement).
    ///
    /// Like bluetoothd, it ignores unknown properties.
    init?(_ properties: [String: Value]) {
        for (name, read) in Self.readers {
            guard let value = properties[name] else { continue }
            guard read(&self, value) else { return nil }
        }
        if hasFlags, !isPeripheral { return nil }
        // DiscoverableTimeout must not exceed Timeout. Without flags, bluetoothd ignores DiscoverableTimeout.
        if hasFlags, timeout > 0, timeout < discoverableTimeout { return nil }
        if shortestInterval > longestInterval { return nil }
    }

    /// The size of the advertisement in bytes.
    ///
    /// The name does not count: bluetoothd sends it in the scan response and truncates it there (bt_ad_generate).
    var byteCount: Int {
        fieldBytes + (hasFlags ? 3 : 0) + (appearance != nil ? 4 : 0)
    }

    /// The readers of the properties, in the order in which bluetoothd reads the properties.
    private static let readers: [(name: String, read: @Sendable (inout Self, Value) -> Bool)] = [
        ("Type", { $0.readType($1) }),
        ("ServiceUUIDs", { $0.readServices($1) }),
        ("SolicitUUIDs", { $0.readServices($1) }),
        ("ManufacturerData", { $0.readManufacturerData($1) }),
        ("ServiceData", { $0.readServiceData($1) }),
        ("Includes", { $0.readIncludes($1) }),
        ("LocalName", { $0.readName($1) }),
        ("Appearance", { $0.readAppearance($1) }),
        ("Duration", { $0.read(\.duration, $1) }),
        ("Timeout", { $0.read(\.timeout, $1) }),
        ("Data", { $0.readData($1) }),
        ("Discoverable", { $0.readDiscoverable($1) }),
        ("DiscoverableTimeout", { $0.read(\.discoverableTimeout, $1) }),
        // SecondaryChannel is always rejected: it requires extended advertising, which simulated controllers lack.
        ("SecondaryChannel", { _, _ in false }),
        ("MinInterval", { $0.read(\.shortestInterval, $1) }),
        ("MaxInterval", { $0.read(\.longestInterval, $1) }),
        ("TxPower", { _, value in value.isPower }),
    ]

    private mutating func readType(_ value: Value) -> Bool {
        isPeripheral = value == .string("peripheral")
        return isPeripheral || value == .string("broadcast")
    }

    private mutating func readServices(_ value: Value) -> Bool {
        guard value.signature.hasPrefix("a") else { return false }
        // bluetoothd treats an array of another type as empty.
        guard case .array("s", let texts) = value else { return true }
        var sizes: [Int: Int] = [:]
        for case .string(let text) in texts {
            guard let size = Self.size(ofUUID: text) else { return false }
            sizes[size, default: 0] += size
        }
        fieldBytes += sizes.values.reduce(0) { $0 + 2 + $1 }
        return true
    }

    private mutating func readManufacturerData(_ value: Value) -> Bool {
        readEntries(value) { key in if case .uint16 = key { 2 } else { nil } }
    }

    private mutating func readServiceData(_ value: Value) -> Bool {
        readEntries(value) { key in if case .string(let text) = key { Self.size(ofUUID: text) } else { nil } }
    }

    private mutating func readData(_ value: Value) -> Bool {
        readEntries(value) { key in
            if case .byte(let type) = key, !Self.ownTypes.contains(type) { 0 } else { nil }
        }
    }

    /// Reads a dictionary of byte arrays.
    ///
    /// `size` returns the key's size in bytes, or nil for an invalid key.
    private mutating func readEntries(_ value: Value, _ size: (Value) -> Int?) -> Bool {
        guard value.signature.hasPrefix("a") else { return false }
        guard case .dictionary(_, let kind, let entries) = value else { return true }
        for entry in entries {
            guard kind == "v", case .variant(let content) = entry.value, case .bytes(let data) = content, !data.isEmpty,
                let key = size(entry.key), 2 + key + data.count <= Self.mostBytes
            else { return false }
            fieldBytes += 2 + key + data.count
        }
        return true
    }

    private mutating func readIncludes(_ value: Value) -> Bool {
        guard value.signature.hasPrefix("a") else { return false }
        guard case .array("s", let names) = value else { return true }
        for case .string(let name) in names where Self.includable.contains(name) { includes.insert(name) }
        return true
    }

    private mutating func readName(_ value: Value) -> Bool {
        guard case .string(let text) = value, !includes.contains("local-name") else { return false }
        name = text.isEmpty ? nil : text
        return true
    }

    private mutating func readAppearance(_ value: Value) -> Bool {
        guard case .uint16(let number) = value, !includes.contains("appearance") else { return false }
        // The value 0xFFFF means no appearance.
        appearance = number == .max ? nil : number
        return true
    }

    private mutating func readDiscoverable(_ value: Value) -> Bool {
        guard case .bool(let isDiscoverable) = value else { return false }
        hasFlags = isDiscoverable
        return true
    }

    private mutating func read(_ key: WritableKeyPath<Self, UInt16>, _ value: Value) -> Bool {
        guard case .uint16(let number) = value else { return false }
        self[keyPath: key] = number
        return true
    }

    /// Reads an interval of at least 20 ms and stores it in units of 0.625 ms.
    ///
    /// Source: Bluetooth Core, Vol 4, Part E, 7.8.53.
    private mutating func read(_ key: WritableKeyPath<Self, UInt32>, _ value: Value) -> Bool {
        guard case .uint32(let milliseconds) = value else { return false }
        let units = (Double(milliseconds) / 0.625).rounded(.down)
        guard (0x20...0xFF_FFFF).contains(units) else { return false }
        self[keyPath: key] = UInt32(units)
        return true
    }

    /// Returns the size of a UUID in a packet, in bytes; nil for an invalid UUID.
    ///
    /// The 128-bit form of a 16-bit UUID is sent as 16 bits (bt_string_to_uuid).
    private static func size(ofUUID text: String) -> Int? {
        guard let full = FullUUID.text(text) else { return nil }
        switch text.utf8.count {
        case 4, 6: return 2
        case 8, 10: return 4
        default: return full.hasPrefix("0000") && full.hasSuffix("-0000-1000-8000-00805f9b34fb") ? 2 : 16
        }
    }

    /// AD types that `Data` must not contain (type_reject_list). bluetoothd or the controller sets them.
    private static let ownTypes = Set<UInt8>([
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x14, 0x15,
        0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x27, 0x28, 0x29, 0x2A,
        0x2B, 0x3D, 0xFF,
    ])
}

extension Value {
    /// Whether the value is a valid transmit power in dBm. Source: Bluetooth Core, Vol 4, Part E, 7.8.53.
    fileprivate var isPower: Bool {
        if case .int16(let power) = self { (-127...20).contains(power) } else { false }
    }
}
