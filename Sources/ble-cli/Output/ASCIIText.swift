/// Text for terminals that do not use UTF-8.
///
/// Such a terminal would show other characters, and could take the bytes of a device's name for control characters.
enum ASCIIText {
    private static let signs: [Character: Character] = [
        "“": "\"", "”": "\"", "’": "'", "…": "~", "–": "-", "−": "-", "°": "o", "µ": "u", "·": ".",
    ]

    /// Returns the text with the same width, in which other characters than ASCII are signs or question marks.
    static func of(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var result = ""
        for character in text {
            if character.isASCII {
                result.append(character)
            } else if let sign = signs[character] {
                result.append(sign)
            } else {
                result += String(repeating: "?", count: TextWidth.of(character))
            }
        }
        return result
    }

    /// Whether the environment selects another character set than UTF-8. Without a selection, UTF-8 is assumed.
    ///
    /// Source: POSIX, 8.2, Internationalization Variables.
    static func isSelected(_ variable: (String) -> String?) -> Bool {
        guard
            let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(variable).first(where: { !$0.isEmpty })
        else { return false }
        let name = locale.lowercased()
        return !name.contains("utf-8") && !name.contains("utf8")
    }
}
