/// A command-line argument that is the number of a company, in hexadecimal digits.
enum CompanyNumber {
    /// Reads four digits, with or without `0x`.
    static func parse(_ text: String) throws(CLIError) -> UInt16 {
        var digits = text.trimmed
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits.removeFirst(2) }
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let number = UInt16(digits, radix: 16) else {
            throw CLIError(.usage, "“\(text)” is not a company identifier. Give 4 digits such as 0499.")
        }
        return number
    }
}
