/// The UUID of an attribute, as text: four digits for one of the SIG, otherwise in full with dashes.
package struct AttributeUUID: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Makes a UUID from 2, 4 or 16 bytes with the last byte first; nil for another number of bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        var full = Array(bytes.reversed())
        switch full.count {
        case 2: full = [0, 0] + full + Self.base
        case 4: full += Self.base
        case 16: break
        default: return nil
        }
        let digits = Hex.text(full)
        guard Array(full[4...]) == Self.base, full[0] == 0, full[1] == 0 else {
            var text = ""
            for (index, digit) in digits.enumerated() {
                if [8, 12, 16, 20].contains(index) { text += "-" }
                text.append(digit)
            }
            description = text
            return
        }
        description = String(digits.dropFirst(4).prefix(4))
    }

    /// Makes a UUID of 16 bits.
    package init(_ number: UInt16) {
        description = Hex.text(UInt8(number >> 8)) + Hex.text(UInt8(number & 0xFF))
    }

    /// Makes a UUID from text with 4 digits, or in full with dashes; nil if it is malformed.
    package init?(text: String) {
        let digits = text.lowercased().filter { $0 != "-" }
        var bytes: [UInt8] = []
        var rest = digits[...]
        while rest.count >= 2, let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.insert(byte, at: 0)
            rest = rest.dropFirst(2)
        }
        guard rest.isEmpty else { return nil }
        self.init(bytes)
    }

    /// The bytes in a packet: 2 or 16, with the last byte first.
    package var bytes: [UInt8] {
        let digits = Array(description.filter { $0 != "-" })
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { index in
            UInt8(String(digits[index...index + 1]), radix: 16) ?? 0
        }
        return bytes.reversed()
    }

    private static let base: [UInt8] = [
        0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0x80, 0x5F, 0x9B, 0x34, 0xFB,
    ]
}
