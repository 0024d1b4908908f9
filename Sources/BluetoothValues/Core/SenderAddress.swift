/// The 48-bit address that an advertisement came from.
///
/// The type is independent of RxBluetooth's, so that this module works with any source of advertisements.
public struct SenderAddress: Hashable, Sendable, BitwiseCopyable {
    /// The address as a number. The first byte of the text is the most significant byte.
    public let number: UInt64

    /// Makes an address from the lower 48 bits of a number.
    public init(_ number: UInt64) { self.number = number & 0xFFFF_FFFF_FFFF }

    /// Makes an address from text such as `C0:FF:EE:00:00:01`; nil for any other text.
    ///
    /// The colons may be absent.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 6 && parts.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        guard let bytes = HexText.bytes(parts.joined()), bytes.count == 6 else { return nil }
        self.init(bytes: bytes)
    }

    /// Makes an address from its first six bytes, in the order of the text; missing bytes count as 0.
    init(bytes: some Sequence<UInt8>) {
        var number: UInt64 = 0
        for byte in bytes.prefix(6) { number = number << 8 | UInt64(byte) }
        self.init(number)
    }

    /// Appends the six bytes in the order of the text, or in reverse.
    func append(to bytes: inout [UInt8], reversed: Bool = false) {
        for index in 0..<6 {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(reversed ? index * 8 : 40 - index * 8)))
        }
    }

    /// The six bytes in the order of the text.
    var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: number >> UInt64(40 - $0 * 8)) } }
}

extension SenderAddress: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The address in upper case, with colons between the bytes.
    public var description: String { HexText.text(bytes, separator: UInt8(ascii: ":")) }

    /// Makes an address from a literal. Traps if the literal is malformed.
    public init(stringLiteral text: String) {
        guard let address = SenderAddress(text) else { preconditionFailure("“\(text)” is not a Bluetooth address.") }
        self = address
    }
}
