/// A command-line argument that is a duration with or without a unit, such as `5s`, `200ms` or `2m`.
enum TimeSpan {
    private static let units: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600),
    ]
    private static let longest = 1_000_000.0

    /// Reads the text of `--for`; nil if it is not given. Throws if `--timeout`, the same limit, is given, too.
    static func duration(_ text: String?, besides timeout: String?) throws(CLIError) -> Duration? {
        guard let text else { return nil }
        guard timeout == nil else {
            throw CLIError(.usage, "--for and --timeout are the same time limit. Give one of them.")
        }
        return try parse(text, for: "--for")
    }

    /// Reads a duration of more than 0. A number without a unit is in seconds.
    ///
    /// - Parameter name: What the duration is for, such as `--every`, for the error text.
    static func parse(_ text: String, for name: String) throws(CLIError) -> Duration {
        let trimmed = text.trimmed.lowercased()
        let unit = units.first { trimmed.hasSuffix($0.suffix) } ?? ("", 1)
        let digits = trimmed.dropLast(unit.suffix.utf8.count)
        // `Double` also accepts hexadecimal digits and exponents, which are probably mistakes here.
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(digits) else {
            throw CLIError(.usage, "“\(text)” is not a duration. Give, for example, \(name) 5s or \(name) 200ms.")
        }
        let seconds = number * unit.seconds
        guard seconds >= 0.001, seconds <= longest else {
            throw CLIError(.usage, "\(name) \(text) is out of range. Give 1 ms to 1000000 s.")
        }
        return .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
}
