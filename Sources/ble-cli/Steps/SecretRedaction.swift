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

    /// Returns a message about a command line without keys: texts of about 24 or 32 hexadecimal digits.
    ///
    /// A key with a typing error has up to two digits more or less.
    static func message(_ text: String) -> String {
        var result = ""
        var digits = ""
        for character in text {
            guard !character.isASCII || !character.isHexDigit else {
                digits.append(character)
                continue
            }
            result += withoutKey(digits) + String(character)
            digits = ""
        }
        return result + withoutKey(digits)
    }

    private static func withoutKey(_ digits: String) -> String {
        [24, 32].contains { abs($0 - digits.utf8.count) <= 2 } ? mark : digits
    }

    /// Returns a value without its secret. The names of files and standard input are none.
    private static func value(_ value: String, of option: String) -> String {
        if option == "--passkey", value == "-" || value.hasPrefix("@") { return value }
        guard option == "--key", let end = value.firstIndex(of: "=") else { return mark }
        return value[...end] + mark
    }
}
