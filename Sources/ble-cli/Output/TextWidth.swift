/// How many columns of a terminal text takes, and fitting it into fewer.
enum TextWidth {
    /// The columns of text that was made harmless.
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The columns of one character as a person sees it, which may consist of several in Unicode.
    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard scalars.count > 1, let first = scalars.first else { return scalars.first.map(of) ?? 0 }
        // Terminals draw a sequence of emoji as one, and the emoji style makes any of them wide.
        if first.properties.isEmoji, scalars.contains(where: { emojiSigns.contains($0.value) }) { return 2 }
        // Vowels and finals of Hangul are drawn into the block that the first consonant begins.
        if (0x1100...0x115F).contains(first.value) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    /// The joiner, the emoji style, the keycap, the letters of flags, the skin tones and the tags.
    private static let emojiSigns = RangeSet<UInt32>([
        0x200D..<0x200E, 0xFE0F..<0xFE10, 0x20E3..<0x20E4, 0x1F1E6..<0x1F200, 0x1F3FB..<0x1F400, 0xE0020..<0xE0080,
    ])

    /// The text, cut where it is wider than so many columns; an ellipsis then tells that there was more.
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

    /// The text in exactly so many columns: cut, or filled up with blanks.
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
        // A terminal that draws a picture character narrow leaves a gap, which is better than a line too long.
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The blocks of characters that take two columns. Source: Unicode Standard Annex 11, classes W and F.
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
