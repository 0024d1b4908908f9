/// The secret key of a device. Descriptions and reflection never show it.
public struct DeviceKey: Hashable, Sendable {
    let bytes: [UInt8]

    /// Makes a key of 12 bytes (legacy MiBeacon) or 16 bytes; nil for another number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 12 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Makes a key from 24 or 32 hexadecimal digits; nil for any other text.
    public init?(_ hexadecimal: some StringProtocol) {
        guard let bytes = HexText.bytes(hexadecimal) else { return nil }
        self.init(bytes)
    }

    /// AES with this key; nil if the key has 12 bytes.
    var cipher: AES128? { AES128(key: bytes) }
}

extension DeviceKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text without the key.
    public var description: String { "DeviceKey(hidden)" }
    /// A text without the key.
    public var debugDescription: String { description }
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
