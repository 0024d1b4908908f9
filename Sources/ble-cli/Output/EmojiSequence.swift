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
