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
}
