/// The secret key of a device. Descriptions and reflection never show it.
public struct DeviceKey: Hashable, Sendable {
    let bytes: [UInt8]
    /// AES with this key. It is prepared once, and all copies of the key share it.
    private let prepared: AES128

    /// Makes a key of 12 bytes (legacy MiBeacon) or 16 bytes; nil for another number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 12 || bytes.count == 16 else { return nil }
        // Formula: legacy MiBeacon = first six bytes ‖ 8D 3D 3C 97 ‖ last six bytes.
        let whole = bytes.count == 16 ? bytes : Array(bytes.prefix(6)) + [0x8D, 0x3D, 0x3C, 0x97] + bytes.suffix(6)
        guard let prepared = AES128(key: whole) else { return nil }
        self.bytes = bytes
        self.prepared = prepared
    }

    /// Makes a key from 24 or 32 hexadecimal digits; nil for any other text.
    public init?(_ hexadecimal: some StringProtocol) {
        guard let bytes = HexText.bytes(hexadecimal) else { return nil }
        self.init(bytes)
    }

    /// AES with this key; nil if the key has 12 bytes.
    var cipher: AES128? { bytes.count == 16 ? prepared : nil }

    /// AES with a legacy key of MiBeacon; nil if the key has 16 bytes.
    var legacyCipher: AES128? { bytes.count == 12 ? prepared : nil }

    /// The key check value: the first 4 bytes of an encrypted block of zeros, from which no key follows.
    var check: UInt32 {
        let block = prepared.encrypted(AES128.Block())
        return (0..<4).reduce(0) { $0 << 8 | UInt32(block[$1]) }
    }

    /// Whether two keys have the same bytes.
    public static func == (one: DeviceKey, other: DeviceKey) -> Bool { one.bytes == other.bytes }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension DeviceKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text without the key.
    public var description: String { "DeviceKey(hidden)" }
    /// A text without the key.
    public var debugDescription: String { description }
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
