import Testing

@testable import ble_cli

struct LineEditorTests {
    @Test(
        arguments: [
            ("abc\r", "abc"), ("abd\u{7F}c\r", "abc"), ("bc\u{01}a\r", "abc"), ("abx\u{1B}[D\u{1B}[3~c\r", "abc"),
            ("ac\u{1B}[Db\r", "abc"), ("xx abc\u{01}\u{1B}f\u{17} \u{01}\u{1B}[3~\u{1B}[3~\r", "abc"),
            ("abc xyz\u{17}\r", "abc "), ("xyz\u{15}abc\r", "abc"), ("abcxyz\u{1B}[D\u{1B}[D\u{1B}[D\u{0B}\r", "abc"),
            ("体温計\u{1B}[D\u{7F}\r", "体計"), ("e\u{301}\u{7F}a\r", "a"), ("\u{1B}[Ha\u{1B}[Fb\u{1B}OHc\r", "cab"),
            ("a\u{202E}\u{200B}b\r", "ab"), ("a\u{1B}[99~b\r", "ab"), ("a\u{04}b\r", "ab"),
        ])
    func `Keys edit the line`(keys: String, line: String) {
        var editor = LineEditor()
        #expect(press(keys, &editor) == .line(line))
        #expect(editor.text.isEmpty)
    }

    @Test func `The arrow keys show earlier lines, and the line that was begun`() {
        var editor = LineEditor()
        press("one\rtwo\rtwo\r  \rthr", &editor)
        #expect(editor.history == ["one", "two"])
        press("\u{1B}[A", &editor)
        #expect(editor.beforeCursor == "two")
        press("\u{1B}[A\u{1B}[A\u{1B}[A", &editor)
        #expect(editor.beforeCursor == "one")
        press("\u{1B}[B\u{1B}[B\u{1B}[B", &editor)
        #expect(editor.beforeCursor == "thr")
        press("\u{10}!", &editor)
        #expect(press("\r", &editor) == .line("two!"))
    }

    @Test func `Ctrl-C discards the line, and Ctrl-D ends an empty line only`() {
        var editor = LineEditor()
        #expect(press("abc\u{03}", &editor) == .cancelled)
        #expect(editor.history.isEmpty)
        #expect(press("a\u{04}", &editor) == .editing)
        #expect(press("\u{7F}\u{04}", &editor) == .endOfInput)
        #expect(press("\t", &editor) == .completing)
    }

    @Test func `Bytes that are not UTF-8 are skipped`() {
        var decoder = TerminalKeyDecoder()
        let bytes: [UInt8] = [0xFF, 0xC3, 0x28, 0x80, 0xE4, 0xBD, 0x41]
        #expect(bytes.compactMap { decoder.add($0) } == [.character("("), .character("A")])
    }

    @Test func `Random bytes never break the editor, and it fits every width`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var editor = LineEditor()
            var decoder = TerminalKeyDecoder()
            for _ in 0..<200 {
                if let key = decoder.add(UInt8.random(in: 0...255, using: &random)) { _ = editor.press(key) }
                #expect((0...editor.text.count).contains(editor.cursor))
            }
            for columns in [1, 2, 10, 40, 80] {
                let drawn = editor.drawn(after: "Strap> ", in: columns)
                let shown = drawn.dropFirst().prefix { $0 != "\u{1B}" }
                #expect(TextWidth.of(String(shown)) <= max(columns, 2))
            }
        }
    }

    @Test func `A line that is too long shows the part around the cursor`() {
        var editor = LineEditor()
        press(String(repeating: "a", count: 100) + "z", &editor)
        #expect(
            editor.drawn(after: "> ", in: 20) == "\r> " + String(repeating: "a", count: 16) + "z\u{1B}[K\r\u{1B}[19C")
        press("\u{01}", &editor)
        #expect(editor.drawn(after: "> ", in: 20) == "\r> " + String(repeating: "a", count: 17) + "\u{1B}[K\r\u{1B}[2C")
    }
}

/// Presses the keys of a terminal's bytes. Returns the outcome of the last key.
@discardableResult
func press(_ text: String, _ editor: inout LineEditor) -> LineEditor.Outcome {
    var decoder = TerminalKeyDecoder()
    var outcome = LineEditor.Outcome.editing
    for byte in text.utf8 { if let key = decoder.add(byte) { outcome = editor.press(key) } }
    return outcome
}
