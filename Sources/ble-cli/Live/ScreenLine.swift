/// One line of a terminal: texts with their roles. The text contains no control sequences.
struct ScreenLine: Equatable, Sendable {
    struct Part: Equatable, Sendable {
        var text: String
        var role = TerminalStyle.Role.plain
    }

    var parts: [Part] = []
    /// Whether the whole line is drawn in reverse video.
    var isSelected = false

    init(_ text: String = "", _ role: TerminalStyle.Role = .plain) { parts = [Part(text: text, role: role)] }

    init(parts: [Part], isSelected: Bool = false) {
        self.parts = parts
        self.isSelected = isSelected
    }

    var text: String { parts.map(\.text).joined() }

    /// Returns the line with control sequences for its roles, in at most this width.
    func painted(in style: TerminalStyle, columns: Int) -> String {
        if isSelected { return style.select(style.encoded(TextWidth.fit(text, to: columns))) }
        var line = ""
        var left = columns
        for part in parts {
            let width = TextWidth.of(part.text)
            let text = width <= left ? part.text : TextWidth.cut(part.text, to: left)
            line += style.paint(style.encoded(text), part.role)
            left -= min(left, width)
            if left == 0 { break }
        }
        return line
    }

    /// Returns text in lines of a width. Words longer than a line are divided.
    static func wrap(_ text: String, to columns: Int) -> [String] {
        let columns = max(1, columns)
        var lines: [String] = []
        var line = ""
        var width = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            let wordWidth = TextWidth.of(String(word))
            if width > 0, width + 1 + wordWidth <= columns {
                line += " " + word
                width += 1 + wordWidth
                continue
            }
            if width > 0 { lines.append(line) }
            (line, width) = ("", 0)
            for character in word {
                let characterWidth = TextWidth.of(character)
                if width > 0, width + characterWidth > columns {
                    lines.append(line)
                    (line, width) = ("", 0)
                }
                line.append(character)
                width += characterWidth
            }
        }
        if width > 0 { lines.append(line) }
        return lines
    }
}
