import RxBluetoothSupport

/// Escapes harmful characters in text from devices before the text is printed.
///
/// A device's name, a value or an error text may contain escape sequences that control a terminal, characters that
/// reverse the reading direction, and invisible characters. Such characters are printed as escapes: `\u{202E}`. A
/// backslash is doubled, so that an escape cannot be faked. Invisible characters are kept only within an emoji; see
/// ``EmojiSequence``.
enum Sanitiser {
    /// Returns the text as one line that is harmless on a terminal.
    ///
    /// - Parameter quote: Whether double quotes are also escaped, because the text is printed in quotes.
    static func clean(_ text: String, quote: Bool = false) -> String {
        guard mayNeedWork(text, quote) else { return text }
        var clean = ""
        var run = EscapeRun()
        let scalars = Array(text.unicodeScalars)
        for (scalar, isShown) in zip(scalars, areShown(scalars)) {
            if isShown { run.end(&clean) }
            if scalar == "\\" || (quote && scalar == "\"") {
                clean += "\\"
                clean.unicodeScalars.append(scalar)
            } else if isShown {
                clean.unicodeScalars.append(scalar)
            } else {
                run.add(scalar, to: &clean)
            }
        }
        run.end(&clean)
        return clean
    }

    /// Equal harmful characters that follow each other. A long run is one escape with a count: `\u{0}×1000`.
    private struct EscapeRun {
        private static let longest = 4
        private var scalar: Unicode.Scalar?
        private var count = 0

        mutating func add(_ next: Unicode.Scalar, to text: inout String) {
            if next != scalar { end(&text) }
            scalar = next
            count += 1
        }

        mutating func end(_ text: inout String) {
            guard let scalar else { return }
            let escape = "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            text += count > Self.longest ? "\(escape)×\(count)" : String(repeating: escape, count: count)
            self.scalar = nil
            count = 0
        }
    }

    /// Whether a text needs no escape.
    static func isHarmless(_ text: String) -> Bool { areShown(Array(text.unicodeScalars)).allSatisfy { $0 } }

    /// Returns for each character whether it is printed unchanged.
    private static func areShown(_ scalars: [Unicode.Scalar]) -> [Bool] {
        var marks = Marks()
        return scalars.indices.map { index in
            if EmojiSequence.isPart(index, of: scalars) { return true }
            return !scalars[index].isHarmful && !marks.isTooMany(with: scalars[index])
        }
    }

    /// Counts the combining marks of a letter.
    ///
    /// Real texts have up to two marks on a letter. More marks overlap the lines above and below.
    struct Marks {
        // Starts at the limit, so that a mark before the first letter is too many.
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

/// Recognises invisible characters within an emoji. Source: Unicode Technical Standard 51, 1.4.
enum EmojiSequence {
    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let emojiStyle: Unicode.Scalar = "\u{FE0F}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"
    private static let blackFlag: Unicode.Scalar = "\u{1F3F4}"

    /// Whether an invisible character is part of an emoji.
    ///
    /// Such characters are a variation selector after an emoji, a joiner between two emoji, and a tag of a flag in
    /// general use.
    static func isPart(_ index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        switch scalars[index].value {
        case 0xFE0E, 0xFE0F: isStyle(index, scalars)
        case 0x200D: isJoiner(index, scalars)
        case 0xE0020...0xE007F: isFlagTag(index, scalars)
        default: false
        }
    }

    /// Whether a variation selector is directly after an emoji, or between a digit and a keycap.
    private static func isStyle(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0 else { return false }
        let base = scalars[index - 1]
        if isPicture(base) { return true }
        return base.value < 0x80 && base.properties.isEmoji && scalars[index] == emojiStyle
            && index + 1 < scalars.count && scalars[index + 1] == keycap
    }

    /// Whether a joiner is between two emoji. The first may have a skin tone or a variation selector.
    private static func isJoiner(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0, index + 1 < scalars.count, isPicture(scalars[index + 1]) else { return false }
        var previous = index - 1
        if previous > 0, scalars[previous] == emojiStyle || scalars[previous].properties.isEmojiModifier {
            previous -= 1
        }
        return isPicture(scalars[previous])
    }

    /// Whether a tag belongs to the flag of England, Scotland or Wales.
    ///
    /// Any other sequence of tags is invisible text.
    private static func isFlagTag(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        let isTag = { (scalar: Unicode.Scalar) in (0xE0020...0xE007F).contains(scalar.value) }
        guard let flag = scalars[..<index].lastIndex(where: { !isTag($0) }), scalars[flag] == blackFlag else {
            return false
        }
        let tags = scalars[(flag + 1)...].prefix(while: isTag).map { $0.value - 0xE0000 }
        return ["gbeng\u{7F}", "gbsct\u{7F}", "gbwls\u{7F}"].contains { $0.unicodeScalars.map(\.value) == tags }
    }

    /// Whether a character is an emoji by itself: not a digit, a skin tone or a letter of a flag.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80 && scalar.properties.isEmoji && !scalar.properties.isEmojiModifier
            && !(0x1F1E6...0x1F1FF).contains(scalar.value)
    }
}
