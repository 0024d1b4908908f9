import Testing

@testable import ble_cli

/// The search of earlier lines with Ctrl-R.
struct HistorySearchTests {
    private let history = ["connect Strap", "read 2A19", "write 2A39 01", "read 2A38"]

    @Test(arguments: [
        ("\u{12}read\r", "read 2A38"), ("\u{12}read\u{12}\r", "read 2A19"), ("\u{12}READ 2a19\r", "read 2A19"),
        // A longer text may stay with the line; a shorter one begins with the newest line again.
        ("\u{12}2A1\r", "read 2A19"), ("\u{12}2A19\u{7F}\u{7F}\r", "read 2A38"),
        // Further matches do not exist, so the last one stays.
        ("\u{12}write\u{12}\u{12}\r", "write 2A39 01"), ("\u{12}zzz\r", ""), ("\u{12}\u{12}\r", ""),
        // Other keys act on the line that was found.
        ("\u{12}write\u{17}02\r", "write 2A39 02"), ("\u{12}write\u{1B}[A\r", "read 2A19"),
        ("\u{12}write\u{1B}[B\u{1B}[B\r", ""), ("abc\u{12}write\u{1B}[B\u{1B}[B\r", "abc"),
        // Ctrl-G and Ctrl-C return to the line before the search.
        ("abc\u{12}read\u{07}d\r", "abcd"), ("abc\u{12}read\u{03}d\r", "abcd"), ("abc\u{12}\r", "abc"),
        ("abc\u{07}\r", "abc"),
    ])
    func `Keys find a line`(keys: String, line: String) {
        var editor = LineEditor(history: history)
        #expect(press(keys, &editor) == .line(line))
    }

    @Test func `The prompt names the text, and says when no line has it`() {
        var editor = LineEditor(history: history)
        press("\u{12}rea", &editor)
        #expect(editor.drawn(after: "ble-cli> ", in: 80).hasPrefix("\rsearch “rea”: read 2A38"))
        press("x", &editor)
        #expect(editor.drawn(after: "ble-cli> ", in: 80).hasPrefix("\rnot found “reax”: read 2A38"))
        press("\u{07}", &editor)
        #expect(editor.drawn(after: "ble-cli> ", in: 80).hasPrefix("\rble-cli> "))
    }

    @Test func `An empty history and a long text do no harm`() {
        var editor = LineEditor()
        press("\u{12}\u{12}" + String(repeating: "a\u{301}", count: 5_000) + "\u{7F}\u{202E}", &editor)
        #expect(press("\r", &editor) == .line(""))
        #expect(press("\u{12}\u{1B}[A\u{1B}[B\t", &editor) == .completing)
    }
}
