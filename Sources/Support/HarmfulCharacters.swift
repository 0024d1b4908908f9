extension Unicode.Scalar {
    /// Whether a character controls a terminal or is invisible.
    ///
    /// These categories of Unicode are harmful: control, format, private use, unassigned, line separators, ignorable,
    /// and spaces other than U+0020.
    package var isHarmful: Bool {
        if value < 0x7F { return value < 0x20 }
        // U+2800, BRAILLE PATTERN BLANK, looks like a space, although Unicode classifies it as a symbol.
        if value == 0x2800 { return true }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return true
        default:
            return properties.isDefaultIgnorableCodePoint
        }
    }
}
