import Dispatch

/// A duration in seconds that the user gives.
enum Seconds {
    private static let longest = 1_000_000.0

    /// Reads a positive number of seconds, with or without a fraction.
    static func parse(_ text: String) throws(CLIError) -> Duration {
        // Double also reads hexadecimal, which is a mistake here.
        guard let seconds = Double(text), seconds.isFinite, !text.lowercased().contains("x") else {
            throw CLIError(
                .usage, "“\(text)” is not a number of seconds. Give, for example, --timeout 10 or --timeout 0.5.")
        }
        guard seconds > 0, seconds <= longest else {
            throw CLIError(.usage, "--timeout \(text) is out of range. Give more than 0 and at most 1000000 seconds.")
        }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}

extension Duration {
    /// The same duration for schedulers; never negative.
    var interval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(max(0, Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
    }

    /// The duration in seconds with its unit, such as `1.5 s`.
    var text: String {
        let (seconds, attoseconds) = components
        guard attoseconds != 0 else { return "\(seconds) s" }
        return "\(Double(seconds) + Double(attoseconds / 1_000_000_000_000_000) / 1000) s"
    }
}
