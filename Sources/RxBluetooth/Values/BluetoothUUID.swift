/// The UUID of a service, characteristic or descriptor, of 16, 32 or 128 bits.
///
/// The short forms abbreviate a 128-bit UUID on the Bluetooth base: `180D` equals
/// `0000180d-0000-1000-8000-00805f9b34fb`.
/// Source: Core Specification 5.4, Vol 3, Part B, 2.5.1.
public struct BluetoothUUID: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes the UUID that a 16-bit number abbreviates.
    public init(_ number: UInt16) { self.init(UInt32(number)) }

    /// Makes the UUID that a 32-bit number abbreviates.
    public init(_ number: UInt32) {
        self.init(high: UInt64(number) << 32 | Self.baseHigh, low: Self.baseLow)
    }

    /// Makes a UUID from text of 4, 8 or 32 hexadecimal digits; nil for any other text.
    ///
    /// Text of 32 digits needs dashes after digits 8, 12, 16 and 20. The digits may be in upper or lower case.
    public init?(_ text: String) { self.init(bytes: text.utf8.span) }

    /// Makes a UUID from the bytes of its text, without creating a `String`, which would cost time.
    init?(bytes: Span<UInt8>) {
        guard let parsed = Self.parse(bytes) else { return nil }
        self = parsed
    }

    private static func parse(_ bytes: Span<UInt8>) -> BluetoothUUID? {
        guard [4, 8, 36].contains(bytes.count) else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in bytes.indices {
            if bytes.count == 36, [8, 13, 18, 23].contains(index) {
                guard bytes[index] == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hex.digit(bytes[index]) else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit)
        }
        return bytes.count == 36 ? BluetoothUUID(high: high, low: low) : BluetoothUUID(UInt32(low))
    }

    /// The 16-bit number that abbreviates the UUID; nil if there is none.
    public var shortNumber: UInt16? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
        return UInt16(exactly: high >> 32)
    }

    /// The name that the Bluetooth SIG assigned, such as “Heart Rate Measurement”; nil if unknown.
    public var name: String? { shortNumber.flatMap(AssignedNames.name(of:)) }

    /// Returns the UUID of the characteristic with a name of the Bluetooth SIG; nil if unknown.
    ///
    /// Upper and lower case are equal.
    public static func characteristic(named name: String) -> BluetoothUUID? {
        AssignedNames.characteristic(named: name).map { BluetoothUUID($0) }
    }

    /// Returns the UUID of the service with a name of the Bluetooth SIG; nil if unknown.
    ///
    /// Upper and lower case are equal.
    public static func service(named name: String) -> BluetoothUUID? {
        AssignedNames.service(named: name).map { BluetoothUUID($0) }
    }

    /// Returns the UUIDs of the characteristics with a text in their assigned names, ignoring case.
    package static func characteristics(containing part: String) -> [BluetoothUUID] {
        named(part, in: AssignedNames.characteristics)
    }

    /// Returns the UUIDs of the services with a text in their assigned names, ignoring case.
    package static func services(containing part: String) -> [BluetoothUUID] { named(part, in: AssignedNames.services) }

    private static func named(_ part: String, in table: [UInt16: String]) -> [BluetoothUUID] {
        let part = part.lowercased()
        return table.filter { $0.value.lowercased().contains(part) }.map(\.key).sorted().map { BluetoothUUID($0) }
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// The shortest form of the UUID in upper case, as in CoreBluetooth.
    ///
    /// The form has 4 digits (`180D`), 8 digits, or all 32 with dashes.
    public var description: String {
        if let number = shortNumber { return Hex.text(number) }
        if low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh { return Hex.text(UInt32(high >> 32)) }
        return longText
    }

    /// The UUID with all 32 digits and dashes, in upper case.
    public var longText: String {
        [
            Hex.text(UInt32(high >> 32)), Hex.text(UInt16(truncatingIfNeeded: high >> 16)),
            Hex.text(UInt16(truncatingIfNeeded: high)), Hex.text(UInt16(low >> 48)),
            Hex.text(UInt16(truncatingIfNeeded: low >> 32)) + Hex.text(UInt32(truncatingIfNeeded: low)),
        ].joined(separator: "-")
    }
}

extension BluetoothUUID: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// Makes a UUID from a literal. Traps if the literal is malformed.
    public init(stringLiteral text: String) {
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("“\(text)” is not a Bluetooth UUID.") }
        self = uuid
    }

    /// Makes the UUID that an integer literal abbreviates, for example `0x180D`.
    public init(integerLiteral number: UInt32) { self.init(number) }
}
