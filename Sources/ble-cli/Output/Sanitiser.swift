/// Makes text that came from elsewhere harmless before anybody sees it.
///
/// A device's name, a value and an error's text may hold anything that fits a radio packet: escape sequences that
/// take a terminal over, characters that turn the reading direction around, and ones that nobody sees. All of these are shown
/// as escapes such as `\u{202E}`. A backslash is doubled, so that an escape cannot be faked. Invisible characters are kept
/// only within an emoji; see ``EmojiSequence``.
enum Sanitiser {
    /// The text, harmless on a terminal and within one line.
    ///
    /// - Parameter quote: Whether the text is to stand in double quotes, so that a quote in it is escaped too.
    static func clean(_ text: String, quote: Bool = false) -> String {
        guard mayNeedWork(text, quote) else { return text }
        var clean = ""
        let scalars = Array(text.unicodeScalars)
        for (scalar, isShown) in zip(scalars, areShown(scalars)) {
            if scalar == "\\" || (quote && scalar == "\"") {
                clean += "\\"
                clean.unicodeScalars.append(scalar)
            } else if isShown {
                clean.unicodeScalars.append(scalar)
            } else {
                clean += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
        return clean
    }

    /// Whether a text can be shown without an escape.
    static func isHarmless(_ text: String) -> Bool { areShown(Array(text.unicodeScalars)).allSatisfy { $0 } }

    /// For each character, whether it is shown as it is.
    private static func areShown(_ scalars: [Unicode.Scalar]) -> [Bool] {
        var marks = Marks()
        return scalars.indices.map { index in
            if EmojiSequence.isPart(index, of: scalars) { return true }
            return !isHarmful(scalars[index]) && !marks.isTooMany(with: scalars[index])
        }
    }

    /// Whether a character does something to a terminal, or shows nothing. Everything is harmful that Unicode counts as a
    /// control, a format, private, unassigned, a separator of lines, ignorable, or a blank other than the space.
    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        // BRAILLE PATTERN BLANK is a symbol to Unicode and a blank to the eye.
        if scalar.value == 0x2800 { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return true
        default:
            return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Counts combining marks. A pile of them reaches into the lines above and below; two on a letter are in real use.
    struct Marks {
        // Nothing stands before the first character, so a mark there is one too many.
        private var count = 2

        mutating func isTooMany(with scalar: Unicode.Scalar) -> Bool {
            guard scalar.value >= 0x300 else {
                count = 0
                return false
            }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark:
                count += 1
                return count > 2
            default:
                count = 0
                return false
            }
        }
    }

    private static func mayNeedWork(_ text: String, _ quote: Bool) -> Bool {
        text.utf8.contains {
            $0 < 0x20 || $0 >= 0x7F || $0 == UInt8(ascii: "\\") || (quote && $0 == UInt8(ascii: "\""))
        }
    }
}

/// The invisible characters that an emoji consists of. Source: Unicode Technical Standard 51, 1.4.
enum EmojiSequence {
    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let emojiStyle: Unicode.Scalar = "\u{FE0F}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"
    private static let blackFlag: Unicode.Scalar = "\u{1F3F4}"

    /// Whether an invisible character belongs to an emoji, so that it is kept: a variation selector between an emoji and what
    /// follows, a joiner between two emoji, or the tags of one of the flags that are in general use.
    static func isPart(_ index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        switch scalars[index].value {
        case 0xFE0E, 0xFE0F: isStyle(index, scalars)
        case 0x200D: isJoiner(index, scalars)
        case 0xE0020...0xE007F: isFlagTag(index, scalars)
        default: false
        }
    }

    /// A variation selector right behind an emoji. One behind a digit is part of a keycap, and otherwise shows nothing.
    private static func isStyle(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0 else { return false }
        let base = scalars[index - 1]
        if isPicture(base) { return true }
        return base.value < 0x80 && base.properties.isEmoji && scalars[index] == emojiStyle
            && index + 1 < scalars.count && scalars[index + 1] == keycap
    }

    /// A joiner between an emoji, with its skin tone or its variation selector, and the next one.
    private static func isJoiner(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0, index + 1 < scalars.count, isPicture(scalars[index + 1]) else { return false }
        var previous = index - 1
        if previous > 0, scalars[previous] == emojiStyle || scalars[previous].properties.isEmojiModifier {
            previous -= 1
        }
        return isPicture(scalars[previous])
    }

    /// A tag of the flag of England, Scotland or Wales. Any other tags would be text that nobody sees.
    private static func isFlagTag(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        let isTag = { (scalar: Unicode.Scalar) in (0xE0020...0xE007F).contains(scalar.value) }
        guard let flag = scalars[..<index].lastIndex(where: { !isTag($0) }), scalars[flag] == blackFlag else {
            return false
        }
        let tags = scalars[(flag + 1)...].prefix(while: isTag).map { $0.value - 0xE0000 }
        return ["gbeng\u{7F}", "gbsct\u{7F}", "gbwls\u{7F}"].contains { $0.unicodeScalars.map(\.value) == tags }
    }

    /// Whether a character is an emoji by itself: no digit, no skin tone, no letter of a flag.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80 && scalar.properties.isEmoji && !scalar.properties.isEmojiModifier
            && !(0x1F1E6...0x1F1FF).contains(scalar.value)
    }
}
