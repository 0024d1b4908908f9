/// Draws lines on a terminal, over the lines of the previous drawing.
///
/// Only changed lines are written. Source of the control sequences: ECMA-48; DEC private modes 7 and 25; xterm's 1049.
struct TerminalScreen: Sendable {
    /// Whether the alternate screen is used, so that the terminal's earlier content comes back at the end.
    let isFull: Bool
    let style: TerminalStyle

    private var drawn: [String] = []
    private var widths: [Int] = []
    private var size: TerminalSize?
    /// Whether something is drawn.
    private(set) var isOpen = false

    /// The size of the terminal at the latest drawing.
    var drawnSize: TerminalSize? { size }

    init(isFull: Bool, style: TerminalStyle) {
        self.isFull = isFull
        self.style = style
    }

    private static let enter = "\u{1B}[?1049h"
    private static let leave = "\u{1B}[?1049l"
    private static let showCursor = "\u{1B}[?25h"
    private static let hideCursor = "\u{1B}[?25l"
    private static let clearScreen = "\u{1B}[H\u{1B}[2J"
    private static let clearBelow = "\u{1B}[J"
    private static let clearLine = "\u{1B}[K"

    // Wrapping is turned off, so that a line that is too long stays one line: terminals disagree on the width of emoji.
    private static let noWrap = "\u{1B}[?7l"
    private static let wrap = "\u{1B}[?7h"

    /// Returns the text that draws the lines; nil if nothing has changed.
    ///
    /// - Parameter messages: Lines that are printed once above a table, and stay there. The full screen ignores them.
    mutating func draw(_ lines: [ScreenLine], below messages: [String] = [], in size: TerminalSize) -> String? {
        let newWidths = lines.map { $0.isSelected ? size.columns : min(size.columns, TextWidth.of($0.text)) }
        let painted = zip(lines, newWidths).map { line, width in
            // After a line of the whole width, the cursor is on its last character, which must not be cleared.
            line.painted(in: style, columns: size.columns) + (width < size.columns ? Self.clearLine : "")
        }
        defer {
            drawn = painted
            widths = newWidths
            self.size = size
            isOpen = true
        }
        guard painted != drawn || size != self.size || !isOpen || !messages.isEmpty else { return nil }
        return isFull ? full(painted, size) : table(painted, below: messages, size)
    }

    /// Makes the next drawing complete, because other text may be on the screen.
    mutating func invalidate() {
        drawn = []
        widths = []
        size = nil
    }

    /// Returns the text that shows the earlier content and the cursor again; nil if nothing was drawn.
    mutating func close() -> String? {
        guard isOpen else { return nil }
        isOpen = false
        defer { invalidate() }
        return (isFull ? Self.leave : "") + Self.showCursor
    }

    private func full(_ painted: [String], _ size: TerminalSize) -> String {
        let start = isOpen ? "" : Self.enter + Self.hideCursor
        let isComplete = !isOpen || size != self.size
        var text = start + Self.noWrap + (isComplete ? Self.clearScreen : "")
        for (place, line) in painted.enumerated() {
            if !isComplete, place < drawn.count, drawn[place] == line { continue }
            text += "\u{1B}[\(place + 1);1H\(line)"
        }
        if !isComplete, painted.count < drawn.count {
            text += "\u{1B}[\(painted.count + 1);1H\(Self.clearBelow)"
        }
        return text + Self.wrap
    }

    private func table(_ painted: [String], below messages: [String], _ size: TerminalSize) -> String {
        var text = isOpen ? "" : Self.hideCursor
        // A terminal that became narrower wraps the previous lines, so that they take more lines than before.
        let height = widths.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / max(1, size.columns)) }
        let up = min(height, size.rows - 1)
        if up > 0 { text += "\u{1B}[\(up)A" }
        // A long message takes several lines, so wrapping is still on.
        if !messages.isEmpty { text += "\r" + Self.clearBelow + messages.map { style.encoded($0) + "\n" }.joined() }
        text += Self.noWrap
        let isComplete = size != self.size || !messages.isEmpty
        for (place, line) in painted.enumerated() {
            text += !isComplete && place < drawn.count && drawn[place] == line ? "\n" : "\r\(line)\n"
        }
        return text + Self.clearBelow + Self.wrap
    }
}
