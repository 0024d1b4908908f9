/// Measures the width of text in terminal columns, and cuts text to a width.
enum TextWidth {
    /// Returns the width of sanitised text.
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// Returns the width of one character, which may consist of several Unicode scalars.
    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard scalars.count > 1, let first = scalars.first else { return scalars.first.map(of) ?? 0 }
        // Terminals draw an emoji sequence as one wide character.
        if first.properties.isEmoji, scalars.contains(where: { emojiSigns.contains($0.value) }) { return 2 }
        // Hangul vowels and final consonants are drawn within the block of the first consonant.
        if (0x1100...0x115F).contains(first.value) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    /// Marks of an emoji sequence: joiner, emoji style, keycap, flag letters, skin tones and tags.
    private static let emojiSigns = RangeSet<UInt32>([
        0x200D..<0x200E, 0xFE0F..<0xFE10, 0x20E3..<0x20E4, 0x1F1E6..<0x1F200, 0x1F3FB..<0x1F400, 0xE0020..<0xE0080,
    ])

    /// Returns the text, cut to a width. A cut text ends with an ellipsis.
    static func cut(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var kept = ""
        var width = 1
        for character in text {
            width += of(character)
            if width > columns { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// Returns the lines of sanitised text that is broken at a width, at spaces if possible.
    ///
    /// - Parameter indent: The number of spaces before the second line and those after it.
    static func wrap(_ text: String, to columns: Int, indent: Int = 0) -> [String] {
        let columns = max(8, columns)
        let start = String(repeating: " ", count: min(indent, columns / 2))
        var lines: [String] = []
        var line = ""
        var width = 0
        for character in text {
            let own = of(character)
            if width + own > columns {
                // A space in the first third of the line is too far away; the word is broken then.
                let space = line.lastIndex(of: " ").flatMap { place in
                    let isFarEnough = line.distance(from: line.startIndex, to: place) * 3 > columns
                    // Spaces of the indentation are not between words.
                    return isFarEnough && line[..<place].contains { $0 != " " } ? place : nil
                }
                let rest = space.map { String(line[line.index(after: $0)...]) } ?? ""
                lines.append(trimmedEnd(space.map { String(line[..<$0]) } ?? line))
                line = start + rest
                width = of(line)
                if rest.isEmpty, character == " " { continue }
            }
            line.append(character)
            width += own
        }
        return lines + [line]
    }

    private static func trimmedEnd(_ line: String) -> String {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    /// Returns the text in exactly this width: cut, or padded with spaces.
    static func fit(_ text: String, to columns: Int) -> String {
        let cut = cut(text, to: columns)
        return cut + String(repeating: " ", count: max(0, columns - of(cut)))
    }

    static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Counts emoji as wide: if a terminal draws one narrow, the gap is better than a line that is too long.
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The Unicode blocks of wide characters. Source: Unicode Standard Annex 11, classes W and F.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul Jamo
        0x2E80...0x303E,  // CJK radicals and punctuation
        0x3041...0x33FF,  // Kana and CJK symbols
        0x3400...0x4DBF,  // CJK ideographs, extension A
        0x4E00...0x9FFF,  // CJK ideographs
        0xA000...0xA4CF,  // Yi
        0xA960...0xA97F,  // Hangul Jamo, extended A
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,  // CJK compatibility ideographs
        0xFE30...0xFE6F,  // CJK compatibility forms
        0xFF00...0xFF60,  // full-width forms
        0xFFE0...0xFFE6,  // full-width signs
        0x16FE0...0x18DFF,  // Tangut and Khitan
        0x1AFF0...0x1B2FF,  // Kana supplements
        0x1F300...0x1F64F,  // pictures and faces
        0x1F680...0x1F6FF,  // transport
        0x1F900...0x1FAFF,  // further pictures
        0x20000...0x3FFFD,  // CJK ideographs, further extensions
    ]
}
