import Testing

@testable import ble_cli

struct StepLineTests {
    @Test(
        arguments: [
            ("read 2A19", ["read", "2A19"]), ("  a   b  ", ["a", "b"]), ("", []), ("# x", []), ("a # b", ["a"]),
            ("a#b", ["a#b"]), (#"connect "Heart rate strap""#, ["connect", "Heart rate strap"]),
            ("'a \"b'", ["a \"b"]), (#""a \"b""#, ["a \"b"]), (#"a\ b"#, ["a b"]),
            (#"write x """#, ["write", "x", ""]),
            ("\ta\tb", ["a", "b"]), (#"'a\'"#, [#"a\"#]), (#"a"b c"d"#, ["ab cd"]), ("\"#\"", ["#"]),
        ])
    func `Splits a line into words`(line: String, words: [String]) throws {
        #expect(try StepLine.words(line) == words)
    }

    @Test(arguments: ["\"a", "'a", "a \"b c", "'"])
    func `Reports a quote that is not closed`(line: String) {
        #expect { try StepLine.words(line) } throws: { ($0 as? CLIError)?.code == .usage }
    }

    @Test(arguments: ["a", "a b", "a\"b", "a'b", #"a\b"#, "#a", "", "体温 計"])
    func `A quoted word is one word again`(word: String) throws {
        #expect(try StepLine.words(StepLine.quoted(word)) == [word])
    }
}

struct StepScriptTests {
    private func failure(_ text: String) -> CLIError? {
        do throws(CLIError) { _ = try StepScript(text, name: "x.steps") } catch { return error }
        return nil
    }

    @Test func `Reads steps, and skips comments and empty lines`() throws {
        let script = try StepScript("# check\n\nconnect Strap\r\n  read 2A19  # battery\n", name: "x")
        #expect(script.lines.map(\.number) == [3, 4])
        #expect(script.lines.map(\.text) == ["connect Strap", "read 2A19  # battery"])
    }

    @Test(
        arguments: [
            ("connect A\ndance\n", "line 2, “dance”: “dance” is not a step. Give one of connect, "),
            ("read", "line 1, “read”: Missing expected argument"), ("read 2A3", "line 1, “read 2A3”: “2A3” is not"),
            ("wait 2A37", "line 1, “wait 2A37”: Missing expected argument '<time>'"),
            ("wait 2A37 5x", "“5x” is not a duration"), ("write 2A39 300 --format uint8", "Give 0 to 255."),
            ("write 2A39 @/dev/zero", "“/dev/zero”, which is a pipe or a device"),
            ("pair A --passkey @/dev/zero", "“/dev/zero”, which is a pipe or a device"),
            ("decode --manufacturer EC88 --keys /dev/zero 00", "“/dev/zero”, which is a pipe or a device"),
            ("write 2A39 -", "cannot read standard input"), ("read 2A19 --nonsense", "Unknown option '--nonsense'"),
            ("connect \"A", "A quote is not closed"), ("notify 2A37 --count 0", "not a number of values"),
            ("CONNECT A", "“CONNECT” is not a step"), ("", "x.steps has no steps"), ("# only\n", "has no steps"),
            ("notify 2A37 --timeout 5s", "Unknown option '--timeout'. Give the time as --for. Usage: "),
            ("read 2A19 --timeout 5s", "Unknown option '--timeout'"),
            ("connect A --help", "line 1"), ("pause -5", "line 1"), ("\u{1B}[2J", "is not a step"),
        ])
    func `Reports the first mistake with its line, as wrong usage in one line`(text: String, part: String) throws {
        let error = try #require(failure(text))
        #expect(error.code == .usage)
        #expect(error.text.contains(part), "\(error.text)")
        #expect(!error.text.contains("\n"))
    }

    @Test func `A file of a megabyte with 1,000 steps is read`() throws {
        let step = "# " + String(repeating: "x", count: 1_000) + "\ndisconnect\n"
        let script = try StepScript(String(repeating: step, count: 1_000), name: "x")
        #expect(script.lines.count == 1_000)
    }
}
