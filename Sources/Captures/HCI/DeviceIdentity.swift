/// The address of a device and its type, which identify the device together.
package struct DeviceIdentity: Hashable, Sendable {
    /// The six bytes of the address, with the first one that is printed first.
    package var bytes: [UInt8]
    package var isRandom: Bool

    /// Makes an identity from an address such as `C0:FF:EE:00:00:01`; nil if the text is malformed.
    package init?(_ address: String, isRandom: Bool) {
        let bytes = address.split(separator: ":", omittingEmptySubsequences: false).map { UInt8($0, radix: 16) }
        guard bytes.count == 6, !bytes.contains(nil) else { return nil }
        self.bytes = bytes.compactMap(\.self)
        self.isRandom = isRandom
    }

    /// Makes an identity from the bytes in a packet, which have the last byte first.
    init(packet bytes: ArraySlice<UInt8>, type: UInt8) {
        self.bytes = bytes.reversed()
        // Types 2 and 3 are identities that the controller has resolved: public and random.
        isRandom = type & 1 == 1
    }

    /// The address with colons.
    package var address: String { bytes.map { Hex.text($0).uppercased() }.joined(separator: ":") }
}

/// Hexadecimal digits.
package enum Hex {
    private static let digits = Array("0123456789abcdef")

    package static func text(_ byte: UInt8) -> String {
        String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    /// Returns the digits of bytes without separators.
    package static func text(_ bytes: some Sequence<UInt8>) -> String { bytes.map { text($0) }.joined() }
}
