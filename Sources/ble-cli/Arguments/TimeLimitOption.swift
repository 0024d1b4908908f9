import ArgumentParser

/// The options `--for` and `--timeout`, of which a command may have only one.
enum TimeLimitOption {
    /// Returns the parser's error text with the option that the command has instead.
    ///
    /// Returns nil for any other error text, and if the command has neither option.
    static func message(_ text: String, of command: any ParsableCommand.Type) -> String? {
        for (given, other) in [("--for", "--timeout"), ("--timeout", "--for")] {
            let start = "Unknown option '\(given)'"
            guard text.hasPrefix(start), command.helpMessage().contains("\(other) <") else { continue }
            return "\(start). Give the time as \(other)."
        }
        return nil
    }
}

extension ArgumentHelp {
    /// The help of `--for`. The examples are the same for all commands.
    ///
    /// - Parameter details: When the time begins, and what `--timeout` means beside it.
    static func length(_ details: String) -> ArgumentHelp {
        ArgumentHelp("End after this long, such as 10s, 500ms or 2m. \(details)", valueName: "time")
    }

    /// The help of `--for` if `--timeout` has the same meaning.
    static var lengthOrTimeout: ArgumentHelp { length("--timeout is the same limit.") }
}
