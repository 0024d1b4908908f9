/// UUIDs as bluetoothd writes them: 128 bits, lower case.
package enum FullUUID {
    static let base = "-0000-1000-8000-00805f9b34fb"

    /// Returns the full form of a UUID of 16, 32 or 128 bits; nil for any other text.
    ///
    /// Like bluetoothd, this function accepts `0x` before a short UUID.
    package static func text(_ text: String) -> String? {
        var short = text.lowercased()
        if short.hasPrefix("0x") { short.removeFirst(2) }
        let digits = Array(short.utf8)
        switch digits.count {
        case 4 where digits.allSatisfy(isDigit): return "0000" + short + base
        case 8 where digits.allSatisfy(isDigit): return short + base
        case 36:
            let isValid = digits.enumerated().allSatisfy { place, digit in
                [8, 13, 18, 23].contains(place) ? digit == UInt8(ascii: "-") : isDigit(digit)
            }
            return isValid ? short : nil
        default: return nil
        }
    }

    /// Returns the full form of a UUID in a description. Traps if the UUID is invalid.
    package static func described(_ uuid: String) -> String {
        guard let full = text(uuid) else { preconditionFailure("“\(uuid)” is not a UUID.") }
        return full
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
