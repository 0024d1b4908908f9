import Testing
import YAMLDocuments

/// Mistakes that users of other programs make.
struct YAMLSyntaxTests {
    @Test(arguments: ["a: !secret mqtt\n", "a: 1\nb: !include x.yaml\n", "a: !env_var [1]\n", "a: !x { b: 1 }\n"])
    func `A tag of another program is an error at its line`(text: String) {
        let error = #expect(throws: YAMLError.self) { try YAMLParser.read(text) }
        #expect(error?.line == (text.hasPrefix("a: 1") ? 2 : 1))
        #expect(error?.problem.hasPrefix("the tag !") == true)
        #expect(error?.expected == "the value itself, or a key that names a file")
    }

    @Test func `Tags of YAML itself change nothing`() throws {
        let node = try #require(try YAMLParser.read("a: !!str 1\nb: ! text\nc: !!map { d: 1 }\n"))
        #expect(node.mapping?.map(\.value.scalar) == ["1", "text", nil])
    }

    @Test(arguments: ["a: 1\nname: \"attic\nb: 2\nc: 3\n", "a: 1\nname: 'attic\nb: 2\n"])
    func `A quote that is not closed is reported where it opens`(text: String) {
        let error = #expect(throws: YAMLError.self) { try YAMLParser.read(text) }
        #expect(error?.line == 2)
        #expect(error?.problem == "the quote that begins here is not closed")
    }

    @Test func `Variables of the environment are reported, and other texts with a dollar are not`() throws {
        let mistakes = YAMLMistakes()
        let text = "a: ${HOST}\nb: [x, 'y${Z}']\nc: { d: $e, f: \"${\", g: '$1' }\n"
        YAMLValue(try #require(try YAMLParser.read(text)), "", mistakes).reportVariables()
        #expect(mistakes.all.map(\.line) == [1, 2])
        #expect(mistakes.all.first?.description.contains("“${HOST}” has a variable") == true)
    }
}
