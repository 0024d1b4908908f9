import RxBluetooth

/// A command-line argument that names a company: its number in hexadecimal digits, or its name.
enum CompanyNumber {
    /// The most companies that a part of a name may match.
    private static let mostMatches = 16

    /// Reads up to four digits with or without `0x`, a name, or the beginning of names, such as `Apple`.
    ///
    /// Returns one number, or those of all companies that match.
    static func parse(_ text: String) throws(CLIError) -> [UInt16] {
        let trimmed = text.trimmed
        var digits = trimmed[...]
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits.removeFirst(2) }
        if (1...4).contains(digits.utf8.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let number = UInt16(digits, radix: 16)
        {
            return [number]
        }
        let named = trimmed.count < 2 ? [] : numbers(named: trimmed)
        guard !named.isEmpty else {
            throw CLIError(
                .usage,
                "“\(text)” is not a company. Give up to 4 hexadecimal digits such as 0499, or a name such as Apple.")
        }
        guard named.count <= mostMatches else {
            throw CLIError(.usage, "“\(text)” matches \(named.count) companies. Give more of the name, or a number.")
        }
        return named
    }

    /// Reads an argument that must name one company.
    static func only(_ text: String) throws(CLIError) -> UInt16 {
        let numbers = try parse(text)
        guard numbers.count == 1, let number = numbers.first else {
            let list = numbers.prefix(8).map { "\(HexBytes.text($0)) “\(CompanyName.of($0) ?? "")”" }
            throw CLIError(
                .usage, "“\(text)” matches \(numbers.count) companies: \(list.joined(separator: ", ")). Give a number.")
        }
        return number
    }

    /// Returns the companies with a name, or else those with names that begin with it, or else those that contain it.
    private static func numbers(named text: String) -> [UInt16] {
        let text = text.lowercased()
        let names = (UInt16.min ... .max).compactMap { number in
            CompanyName.of(number).map { (number, $0.lowercased()) }
        }
        let tests: [(String) -> Bool] = [
            { $0 == text }, { $0.hasPrefix(text) && $0.dropFirst(text.count).first?.isLetter != true },
            { $0.contains(text) },
        ]
        for test in tests {
            let found = names.filter { test($0.1) }.map(\.0)
            if !found.isEmpty { return found }
        }
        return []
    }
}
