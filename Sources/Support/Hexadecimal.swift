/// Hexadecimal digits of fixed-width numbers.
extension FixedWidthInteger where Self: UnsignedInteger {
    /// Returns all digits of the number, with leading zeros: two for a byte.
    package func hexadecimal(uppercase: Bool = false) -> String {
        let digits = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}

extension Sequence<UInt8> {
    /// Returns two digits for each byte.
    package func hexadecimal(separator: String = "", uppercase: Bool = false) -> String {
        map { $0.hexadecimal(uppercase: uppercase) }.joined(separator: separator)
    }
}
