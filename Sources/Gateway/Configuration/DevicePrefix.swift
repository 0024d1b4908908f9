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

/// A set of prefixes that is searched in constant time.
struct DevicePrefixes: Sendable {
    private var prefixes: [Set<UInt64>] = Array(repeating: [], count: 7)

    /// Makes the set of those texts that are prefixes.
    init(_ texts: [String]) {
        for prefix in texts.lazy.compactMap({ DevicePrefix($0) }) { insert(prefix) }
    }

    /// Adds a prefix. Returns false if the set contains it.
    @discardableResult
    mutating func insert(_ prefix: DevicePrefix) -> Bool { prefixes[prefix.count].insert(prefix.number).inserted }

    /// Whether the set contains exactly this prefix.
    func contains(_ prefix: DevicePrefix) -> Bool { prefixes[prefix.count].contains(prefix.number) }

    /// Returns the number of bytes of the shortest prefix with which an address begins; nil without one.
    func countOfPrefix(of address: UInt64) -> Int? {
        (1...6).first { prefixes[$0].contains(address >> UInt64((6 - $0) * 8)) }
    }

    /// Whether an address begins with one of the prefixes.
    func matches(_ address: UInt64) -> Bool { countOfPrefix(of: address) != nil }
}
