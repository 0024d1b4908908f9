/// The 48-bit address of a device or an adapter, kept as a number so that it is compared and looked up in one step.
public struct BluetoothAddress: Hashable, Sendable {
    /// The address as a number; its highest byte is the one that is written first.
    public let number: UInt64

    /// Makes an address from a number; bits above the 48th are dropped.
    public init(_ number: UInt64) { self.number = number & 0xFFFF_FFFF_FFFF }

    /// Makes an address from text such as `C0:FF:EE:00:00:01`; nil for any other text. Capitals do not matter.
    public init?(_ text: String) { self.init(bytes: text.utf8.span, separator: UInt8(ascii: ":")) }

    init?(bytes: Span<UInt8>, separator: UInt8) {
        guard bytes.count == 17 else { return nil }
        var number: UInt64 = 0
        for index in bytes.indices {
            if index % 3 == 2 {
                guard bytes[index] == separator else { return nil }
            } else {
                guard let digit = Hex.digit(bytes[index]) else { return nil }
                number = number << 4 | UInt64(digit)
            }
        }
        self.init(number)
    }

    /// Which kind of address it is. A public address is registered with the IEEE; a random one was made up by the
    /// device, which may change it. Source: Core Specification 5.4, Vol 6, Part B, 1.3.
    public enum Kind: String, Sendable {
        /// Registered with the IEEE, and fixed.
        case `public`
        /// Made up by the device: fixed, fixed until restart, or changing about every 15 minutes.
        case random
    }
}

extension BluetoothAddress: CustomStringConvertible, Comparable {
    /// The address in capitals, with colons.
    public var description: String { text(separator: ":") }

    func text(separator: String) -> String {
        stride(from: 40, through: 0, by: -8)
            .map { Hex.text(UInt8(truncatingIfNeeded: number >> UInt64($0))) }
            .joined(separator: separator)
    }

    /// Orders addresses by number.
    public static func < (one: BluetoothAddress, other: BluetoothAddress) -> Bool { one.number < other.number }
}

extension BluetoothAddress: ExpressibleByStringLiteral {
    /// Makes an address from a literal. It is a programmer's error to write a malformed one.
    public init(stringLiteral text: String) {
        guard let address = BluetoothAddress(text) else { preconditionFailure("“\(text)” is not a Bluetooth address.") }
        self = address
    }
}
