import Testing
import YAMLDocuments

/// Tests of documents whose aliases repeat nodes.
struct YAMLAliasTests {
    private static func list(_ element: String, _ count: Int) -> String {
        "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }

    @Test func `Aliases of aliases are an error at the line where they repeat too much`() {
        let text = "a: &a \(Self.list("x", 300))\nb: &b \(Self.list("*a", 300))\nc: \(Self.list("*b", 300))\n"
        let error = #expect(throws: YAMLError.self) { try YAMLParser.read(text) }
        #expect(error?.line == 3)
        #expect(error?.problem == "aliases repeat more than 100000 nodes")
        #expect(error?.expected == "a text with fewer aliases")
    }

    @Test func `An alias counts each node that it repeats`() throws {
        let text = "a: &a [x, y]\nb: *a\nc: *a\n"
        #expect(try YAMLParser.read(text, maximumRepeated: 6)?.mapping?.count == 3)
        let error = #expect(throws: YAMLError.self) { try YAMLParser.read(text, maximumRepeated: 5) }
        #expect(error?.line == 3)
    }

    @Test func `An alias of a long text counts as many nodes`() {
        let text = "a: &a \(String(repeating: "x", count: 640))\nb: *a\nc: *a\n"
        let error = #expect(throws: YAMLError.self) { try YAMLParser.read(text, maximumRepeated: 21) }
        #expect(error?.line == 3)
    }

    @Test func `A document may have more written nodes than aliases may repeat`() throws {
        #expect(try YAMLParser.read(Self.list("x", 150_000))?.sequence?.count == 150_000)
    }

    @Test func `A document has at most a million nodes`() {
        let text = "\n" + Self.list("x", 1_000_000)
        let error = #expect(throws: YAMLError.self) { try YAMLParser.read(text) }
        #expect(error?.line == 2)
        #expect(error?.problem == "more than 1000000 nodes")
    }

    @Test func `Suggestions end after 100 mistakes`() throws {
        let text = (100..<250).map { "setting\($0): 1\n" }.joined()
        let mistakes = YAMLMistakes()
        _ = YAMLValue(try #require(try YAMLParser.read(text)), "", mistakes).members(["setting"])
        #expect(mistakes.all.count == 150)
        #expect(mistakes.all.count { $0.advice.hasPrefix("did you mean") } == 100)
    }
}
