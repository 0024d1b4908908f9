import Dispatch

/// A command-line argument that is a duration in seconds.
enum Seconds {
    private static let longest = 1_000_000.0

    /// Reads a number of seconds of at least a millisecond, with or without a fraction, or a duration with a unit.
    static func parse(_ text: String) throws(CLIError) -> Duration {
        if text.last?.isLetter == true, let duration = try? TimeSpan.parse(text, for: "--timeout") { return duration }
        // Rejects texts with an “x”: `Double` also reads hexadecimal, but a hexadecimal duration is probably a mistake.
        guard let seconds = Double(text), seconds.isFinite, !text.lowercased().contains("x") else {
            throw CLIError(
                .usage, "“\(text)” is not a number of seconds. Give, for example, --timeout 10, 0.5 or 500ms.")
        }
        guard seconds >= 0.001, seconds <= longest else {
            throw CLIError(.usage, "--timeout \(text) is out of range. Give 0.001 to 1000000 seconds.")
        }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}

extension Duration {
    /// The duration in the type that schedulers use; 0 if the duration is negative.
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
