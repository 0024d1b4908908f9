import ArgumentParser
import Glibc
import Testing

@testable import ble_cli

/// The words that complete a command line, as shells receive them.
struct CompletionCandidateTests {
    static let hostileNames = [
        "$(touch /tmp/x)", "`id`", "a'b", "'; id; '", "\"", "\\", "a;b", "${HOME}", "~root", "a|b>c", "*", "!!", "#",
        "体温計", "a b  c",
    ]

    @Test(arguments: hostileNames)
    func `A hostile name is a literal for bash`(name: String) throws {
        let line = CompletionCandidate(word: name, note: "C0:FF:EE:00:00:01").line(for: .bash)
        // compgen -W expands its words, as bash does here.
        let file = "/tmp/rxbluetooth-completion-\(UInt64.random(in: 0...(.max)))"
        defer { unsafe unlink(file) }
        #expect(unsafe system("bash -c \(Self.quoted("compgen -W \(Self.quoted(line)) > \(file)"))") == 0)
        guard let stream = unsafe fopen(file, "r") else {
            Issue.record("bash writes nothing")
            return
        }
        defer { unsafe fclose(stream) }
        var text = [CChar](repeating: 0, count: 256)
        _ = unsafe fgets(&text, Int32(text.count), stream)
        #expect(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) == name + "\n")
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }

    @Test func `zsh and fish receive the description, and bash does not`() {
        let candidate = CompletionCandidate(word: "C0:FF\\", note: "Strap: left")
        #expect(candidate.line(for: .zsh) == #"C0\:FF\\:Strap: left"#)
        #expect(candidate.line(for: .fish) == "C0:FF\\\tStrap: left")
        #expect(candidate.line(for: .bash) == #"'C0:FF\'"#)
        #expect(candidate.line(for: nil) == #"C0:FF\"#)
        #expect(CompletionCandidate(word: "a").line(for: .zsh) == "a")
        #expect(CompletionCandidate(word: "a").line(for: .fish) == "a")
    }

    @Test func `Options are found before the cursor, in quotes and after an equals sign`() {
        let words = CompletionWords(
            ["ble-cli", "read", "--adapter", "'hci1'", "--scenario=\"my hall\".yaml", "a\\ b", "--simulate"], upTo: 6)
        #expect(words.value(of: "--adapter") == "hci1")
        #expect(words.value(of: "--scenario") == "my hall.yaml")
        #expect(words.before.last == "a b")
        #expect(!words.contains("--simulate"))
        #expect(words.value(of: "--timeout") == nil)
        #expect(CompletionWords(["ble-cli", "--adapter"], upTo: 2).value(of: "--adapter") == nil)
        #expect(CompletionWords(["ble-cli"], upTo: -1).before == [])
        #expect(CompletionWords([], upTo: 7).before == [])
    }
}
