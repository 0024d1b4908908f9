import Testing

@testable import ble_cli

struct TerminalScreenTests {
    private static func lines(_ texts: String...) -> [ScreenLine] { texts.map { ScreenLine($0) } }

    @Test(arguments: [false, true])
    func `Shows the latest lines, and restores the terminal`(isFull: Bool) {
        let size = TerminalSize(columns: 10, rows: 6)
        var terminal = EmulatedTerminal(size)
        var screen = TerminalScreen(isFull: isFull, style: TerminalStyle())
        terminal.write("$ x\n")
        for lines in [
            Self.lines("a", "b", "c"), Self.lines("a", "bb", "c"), Self.lines("a"),
            Self.lines("x", "y", "z", "1234567890"),
        ] {
            terminal.write(screen.draw(lines, in: size) ?? "")
            let shown = isFull ? terminal.lines : Array(terminal.lines.dropFirst())
            #expect(shown == lines.map(\.text))
            #expect(terminal.isAlternate == isFull && !terminal.isCursorShown)
        }
        terminal.write(screen.close() ?? "")
        #expect(terminal.isCursorShown && !terminal.isAlternate)
        #expect(screen.close() == nil)
    }

    @Test func `Writes only changed lines`() {
        let size = TerminalSize(columns: 40, rows: 6)
        for isFull in [false, true] {
            var screen = TerminalScreen(isFull: isFull, style: TerminalStyle())
            _ = screen.draw(Self.lines("first", "second", "third"), in: size)
            #expect(screen.draw(Self.lines("first", "second", "third"), in: size) == nil)
            let text = screen.draw(Self.lines("first", "changed", "third"), in: size) ?? ""
            #expect(text.contains("changed") && !text.contains("first") && !text.contains("third"))
            // After a resize or a foreign text, everything is drawn again.
            #expect(screen.draw(Self.lines("first"), in: TerminalSize(columns: 20, rows: 6))?.contains("first") == true)
            screen.invalidate()
            #expect(screen.draw(Self.lines("first"), in: size)?.contains("first") == true)
        }
    }

    @Test func `A table that a narrower terminal has wrapped is drawn over`() {
        var screen = TerminalScreen(isFull: false, style: TerminalStyle())
        _ = screen.draw(Self.lines(String(repeating: "a", count: 40), "b"), in: TerminalSize(columns: 40, rows: 20))
        let text = screen.draw(Self.lines("a", "b"), in: TerminalSize(columns: 15, rows: 20)) ?? ""
        // The first line takes three lines now.
        #expect(text.hasPrefix("\u{1B}[4A"))
    }

    @Test func `Nothing is restored if nothing was drawn`() {
        var screen = TerminalScreen(isFull: true, style: TerminalStyle())
        #expect(screen.close() == nil)
    }

    @Test func `Colours surround the text of a role, and a selection is in reverse video`() {
        let line = ScreenLine(parts: [.init(text: "-50", role: .strong), .init(text: "  "), .init(text: "x")])
        #expect(line.painted(in: TerminalStyle(hasColor: true), columns: 20) == "\u{1B}[32m-50\u{1B}[0m  x")
        #expect(line.painted(in: TerminalStyle(), columns: 20) == "-50  x")
        #expect(line.painted(in: TerminalStyle(), columns: 4) == "-50…")
        var selected = line
        selected.isSelected = true
        #expect(selected.painted(in: TerminalStyle(hasColor: true), columns: 8) == "\u{1B}[7m-50  x  \u{1B}[0m")
    }

    @Test func `Without Unicode, other characters are replaced in the same width`() {
        let style = TerminalStyle(hasUnicode: false)
        #expect(style.encoded("体温 é…") == "???? ?~")
        #expect(ScreenLine("体温計").painted(in: style, columns: 5) == "????~")
    }

    @Test(
        arguments: [
            ("one two three", 7, ["one two", "three"]), ("abcdefgh", 3, ["abc", "def", "gh"]), ("", 5, []),
            ("体温計", 4, ["体温", "計"]), ("a", 0, ["a"]),
        ] as [(String, Int, [String])])
    func `Wraps text to a width`(text: String, columns: Int, lines: [String]) {
        #expect(ScreenLine.wrap(text, to: columns) == lines)
    }
}

struct TerminalStyleTests {
    private func style(_ choice: ColorChoice, _ variables: [String: String], isTerminal: Bool = true) -> TerminalStyle {
        let output = RecordingOutput(size: isTerminal ? TerminalSize(columns: 80, rows: 24) : nil)
        return choice.style(of: output) { variables[$0] }
    }

    @Test func `NO_COLOR turns automatic colours off if it is not empty`() {
        #expect(style(.auto, [:]).hasColor)
        #expect(style(.auto, ["NO_COLOR": ""]).hasColor)
        #expect(!style(.auto, ["NO_COLOR": "1"]).hasColor)
        #expect(style(.always, ["NO_COLOR": "1"]).hasColor)
        #expect(!style(.never, [:]).hasColor)
        #expect(!style(.auto, [:], isTerminal: false).hasColor)
        #expect(style(.always, [:], isTerminal: false).hasColor)
    }

    @Test(
        arguments: [
            ([:], true), (["LANG": "C"], false), (["LANG": "en_US.UTF-8"], true), (["LANG": "C.utf8"], true),
            (["LC_ALL": "POSIX", "LANG": "en_US.UTF-8"], false), (["LC_ALL": "", "LC_CTYPE": "de_DE.UTF-8"], true),
            (["LANG": "de_DE.ISO-8859-1"], false), (["LC_CTYPE": "C.utf8", "LANG": "C"], true),
        ] as [([String: String], Bool)])
    func `The locale decides whether Unicode is used`(variables: [String: String], isUnicode: Bool) {
        #expect(style(.auto, variables).hasUnicode == isUnicode)
    }
}
