/// An address of a device, or the first bytes of addresses, such as `A4:C1:38`.
struct DevicePrefix: Hashable, Sendable {
    /// The bytes in upper case with colons.
    let text: String
    /// The bytes as a number.
    let number: UInt64
    /// The number of bytes, from 1 to 6.
    let count: Int

    /// Reads bytes of two digits with colons; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...6).contains(parts.count) else { return nil }
        var number: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, part.allSatisfy({ $0.isASCII && $0.isHexDigit }),
                let byte = UInt64(part, radix: 16)
            else { return nil }
            number = number << 8 | byte
        }
        self.text = text.uppercased()
        self.number = number
        count = parts.count
    }

    /// Whether this is a whole address.
    var isComplete: Bool { count == 6 }

    /// Whether an address begins with these bytes.
    func matches(_ address: UInt64) -> Bool { address >> UInt64((6 - count) * 8) == number }
}
