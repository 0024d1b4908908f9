import Dispatch

/// A length of time that a person wrote, in seconds.
enum Seconds {
    private static let longest = 1_000_000.0

    /// Reads a number of seconds, with a fraction or without. Throws for what is no time to wait.
    static func parse(_ text: String) throws(CLIError) -> Duration {
        // Double also reads hexadecimal, which nobody means here.
        guard let seconds = Double(text), seconds.isFinite, !text.lowercased().contains("x") else {
            throw CLIError(
                .usage, "“\(text)” is not a number of seconds. Write, for example, --timeout 10 or --timeout 0.5.")
        }
        guard seconds > 0, seconds <= longest else {
            throw CLIError(.usage, "--timeout \(text) is out of range. Give more than 0 and at most 1000000 seconds.")
        }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}

extension Duration {
    /// The same length for schedulers; never negative.
    var interval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(max(0, Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
    }

    /// The number of seconds, as a person would write it.
    var text: String {
        let (seconds, attoseconds) = components
        guard attoseconds != 0 else { return "\(seconds) s" }
        return "\(Double(seconds) + Double(attoseconds / 1_000_000_000_000_000) / 1000) s"
    }
}
