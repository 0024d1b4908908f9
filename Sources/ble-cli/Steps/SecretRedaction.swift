/// Removes passkeys and keys from texts that are printed or stored.
enum SecretRedaction {
    /// What replaces a secret.
    static let mark = "…"
    private static let options = ["--passkey", "--key"]

    /// Returns a line of a script or a shell without the values of its secret options.
    ///
    /// The address of a key stays. A line without secrets is returned unchanged.
    static func line(_ line: String) -> String {
        let (split, quote) = StepLine.split(line)
        let words = split.map(\.text)
        let redacted = Self.words(words)
        guard redacted != words else { return line }
        return redacted.map { StepLine.quoted($0) }.joined(separator: " ") + (quote == nil ? "" : " " + mark)
    }

    /// Returns the words of a command line without the values of its secret options.
    static func words(_ words: [String]) -> [String] {
        var redacted: [String] = []
        var option: String?
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if let option {
                redacted.append(value(word, of: option))
            } else if parts.count == 2, options.contains(parts[0]) {
                redacted.append(parts[0] + "=" + value(parts[1], of: parts[0]))
            } else {
                redacted.append(word)
            }
            option = option == nil && options.contains(word) ? word : nil
        }
        return redacted
    }

    /// Returns a message about a command line without keys, also if they have typing errors.
    ///
    /// A word with 16 or more hexadecimal digits counts as a key. Colons are a part of a word. Hexadecimal words with
    /// only a space or the parser's quotes between them are one. Numbers of 64 bits and UUIDs with dashes stay.
    static func message(_ text: String) -> String {
        var result = ""
        // Words that may be parts of one key.
        var (parts, digits) = ("", 0)
        var rest = text[...]
        while !rest.isEmpty {
            let word = rest.prefix(while: isPart)
            let gap = rest.dropFirst(word.count).prefix { !isPart($0) }
            rest = rest[gap.endIndex...]
            parts += word
            digits += word.count(where: \.isHexDigit)
            if separators.contains(String(gap)), isHexadecimal(word), isHexadecimal(rest.prefix(while: isPart)) {
                parts += gap
                continue
            }
            result += digits >= shortestKey && !isNumber(parts) ? mark : parts
            result += gap
            (parts, digits) = ("", 0)
        }
        return result
    }

    /// The digits of a key of which some were not typed.
    private static let shortestKey = 16
    /// What separates the words of a command line in messages, and in those of the argument parser.
    private static let separators: Set = [" ", "', '"]

    private static func isPart(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == ":")
    }

    private static func isHexadecimal(_ word: Substring) -> Bool { !word.isEmpty && word.allSatisfy(\.isHexDigit) }

    /// Whether a word is a decimal number of at most 64 bits, as in messages about a range.
    private static func isNumber(_ word: String) -> Bool {
        word.utf8.count <= 20 && word.allSatisfy { $0.isNumber }
    }

    /// Returns a value without its secret. The names of files and standard input are none.
    private static func value(_ value: String, of option: String) -> String {
        if option == "--passkey", value == "-" || value.hasPrefix("@") { return value }
        guard option == "--key", let end = value.firstIndex(of: "=") else { return mark }
        return value[...end] + mark
    }
}
