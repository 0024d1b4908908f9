import Testing
import YAMLDocuments

struct YAMLValueTests {
    private let mistakes = YAMLMistakes()

    private func document(_ text: String) throws -> YAMLValue {
        YAMLValue(try #require(try YAMLParser.read(text)), "", mistakes)
    }

    private var texts: [String] { mistakes.all.map(\.description) }

    @Test func `Reads each kind of value`() throws {
        let text = "a: {b: yes, c: 5, d: -2.5, e: 10 min, f: 2 KiB, g: red, h: [x, y]}"
        let members = try #require(try document(text).members(["a"])["a"])
            .members(["b", "c", "d", "e", "f", "g", "h"])
        #expect(members["b"]?.flag() == true)
        #expect(members["c"]?.integer(0...9) == 5)
        #expect(members["d"]?.decimal(-5...5, example: "1") == -2.5)
        #expect(members["e"]?.duration(.zero ... .seconds(600)) == .seconds(600))
        #expect(members["f"]?.size(0...4096) == 2048)
        #expect(members["g"]?.choice([("green", 1), ("red", 2)]) == 2)
        #expect(members["h"]?.list().compactMap { $0.text() } == ["x", "y"])
        #expect(texts.isEmpty)
    }

    @Test func `Reports all mistakes with their lines`() throws {
        let members = try document("prot: 1\nhost:\nport: 70000\nlist: 5\nmap: [1]\n")
            .members(["host", "port", "list", "map"])
        #expect(members["host"]?.text() == nil)
        #expect(members["port"]?.integer(1...65_535) == nil)
        #expect(members["list"]?.list().isEmpty == true)
        #expect(members["map"]?.members(["x"])["x"] == nil)
        #expect(
            texts == [
                "line 1: unknown key “prot”; did you mean “port”? use one of host, port, list, map",
                "line 2: host has no value; write text, or remove the key",
                "line 3: invalid value “70000” of port; write a whole number from 1 to 65535",
                "line 4: list is not a list; write [first, second], or a line “- element” for each",
                "line 5: map has no keys; write one of x below it",
            ])
    }

    @Test(arguments: ["5", "5 parsecs", "-1 s", "inf s", "0x5 s", "1e3 s", "s", "99999999999999 d", "nan s"])
    func `Rejects what is not a duration`(_ text: String) throws {
        let value = try document("\"\(text)\"")
        #expect(value.duration(.zero ... .seconds(86_400)) == nil)
        #expect(texts.count == 1 && texts[0].contains("from 0 s to 1 d"))
    }

    @Test(arguments: [
        ("250 ms", Duration.milliseconds(250)), ("5s", .seconds(5)), ("1.5 min", .seconds(90)), ("2m", .seconds(120)),
        ("3 h", .seconds(10_800)), ("1 d", .seconds(86_400)),
    ])
    func `Reads durations with their units`(_ text: String, _ duration: Duration) {
        #expect(YAMLValue.duration(text) == duration)
    }

    @Test func `A null value is an empty list and an empty mapping`() throws {
        #expect(try document("~").list().isEmpty)
        #expect(try document("~").members(["a"])["a"] == nil)
        #expect(texts.isEmpty)
    }

    @Test func `A mistake does not contain control characters or long values`() throws {
        #expect(try document("\"\\e[2J\(String(repeating: "x", count: 90))\"").flag() == nil)
        #expect(texts.first?.contains("\u{1B}") == false)
        #expect(texts.allSatisfy { $0.count < 100 })
    }

    @Test(arguments: [
        ("prot", "port"), ("hosst", "host"), ("hst", "host"), ("Host", "host"), ("zebra", nil),
        ("pass", "password-file"),
    ])
    func `Finds the most similar word`(_ text: String, _ word: String?) {
        #expect(Spelling.closest(to: text, in: ["host", "port", "user", "password-file"]) == word)
    }
}
