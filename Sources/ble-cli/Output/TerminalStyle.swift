/// What a terminal can show: colours, and characters other than ASCII.
struct TerminalStyle: Equatable, Sendable {
    var hasColor = false
    var hasUnicode = true

    /// The meaning of a text, which decides its colour.
    enum Role: Equatable, Sendable {
        case plain, bold, dim, reading, selected
        /// A strong, medium or weak signal.
        case strong, medium, weak

        /// Returns the role of an RSSI in dBm.
        static func signal(_ rssi: Int?) -> Role {
            guard let rssi else { return .plain }
            return rssi >= -65 ? .strong : rssi >= -80 ? .medium : .weak
        }

        /// The parameters of Select Graphic Rendition. Source: ECMA-48, 8.3.117.
        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .bold: "1"
            case .dim: "2"
            case .reading: "36"
            case .selected: "7"
            case .strong: "32"
            case .medium: "33"
            case .weak: "31"
            }
        }
    }

    /// Returns a text in the colour of its role; the same text if the style has no colours.
    func paint(_ text: String, _ role: Role) -> String {
        guard hasColor, !text.isEmpty, let code = role.code else { return text }
        return Self.rendition(code) + text + Self.rendition("0")
    }

    /// Returns a text in reverse video, also without colours, because a selection must be visible.
    func select(_ text: String) -> String { Self.rendition("7") + text + Self.rendition("0") }

    private static func rendition(_ code: String) -> String { "\u{1B}[\(code)m" }

    /// Returns the text as the terminal can show it, in the same width.
    func encoded(_ text: String) -> String {
        if hasUnicode || text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var result = ""
        for character in text {
            if character.isASCII {
                result.append(character)
            } else {
                result += String(repeating: character == "…" ? "~" : "?", count: TextWidth.of(character))
            }
        }
        return result
    }
}

/// The argument of `--color`.
enum ColorChoice: String, CaseIterable, Sendable {
    /// Colours on a terminal, unless NO_COLOR is set.
    case auto
    case always, never

    static func parse(_ text: String) throws(CLIError) -> ColorChoice {
        guard let choice = ColorChoice(rawValue: text.trimmed.lowercased()) else {
            throw CLIError(.usage, "“\(text)” is not a choice of --color. Give auto, always or never.")
        }
        return choice
    }

    /// Returns the style of an output.
    ///
    /// - Parameter variable: Returns an environment variable. An empty NO_COLOR has no effect; see no-color.org.
    func style(
        of output: any Output, variable: (String) -> String? = TerminalEnvironment.variable
    ) -> TerminalStyle {
        let hasColor =
            switch self {
            case .always: true
            case .never: false
            case .auto: output.size != nil && (variable("NO_COLOR") ?? "").isEmpty
            }
        return TerminalStyle(hasColor: hasColor, hasUnicode: TerminalEnvironment.isUnicode(variable: variable))
    }
}
