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
