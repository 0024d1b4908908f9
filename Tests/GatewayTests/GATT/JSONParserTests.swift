import Testing

@testable import Gateway

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws(JSONParser.Failure) -> JSONNode { try JSONParser.parse(Array(text.utf8)) }

    @Test(arguments: [
        (#"{"id":"a","steps":[{"read":"2A19"}]}"#, #"{"id":"a","steps":[{"read":"2A19"}]}"#),
        (" [ 1 , -2.5e1 , true , null , \"x\" ] ", "[1,-25,true,null,\"x\"]"),
        (#""\u00e9\ud83d\ude00\n\/""#, "\"é😀\\u000a/\""), ("0", "0"), ("{}", "{}"), ("[]", "[]"),
    ])
    func `Values are read and written`(text: String, expected: String) throws {
        #expect(String(decoding: try parse(text).encoded, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "", "{", "[", "\"", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "[1,]", "[1 2]", "01", "1.",
        "1e",
        "-", "+1", ".5", "tru", "nul", "NaN", "Infinity", "1e999", "{a:1}", "{\"a\":1,\"a\":2}", "\"\\x\"", "\"\\u12\"",
        "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "1 2", "{}{}", "\u{FEFF}{}",
    ])
    func `Other texts are refused`(text: String) { #expect(throws: JSONParser.Failure.self) { try parse(text) } }

    @Test func `Nested arrays and objects end with an error`() {
        for opening in ["[", "{\"a\":", "[{\"a\":"] {
            let bomb = String(repeating: opening, count: 2000)
            #expect(throws: JSONParser.Failure.self) { try parse(bomb) }
        }
        let deepest = String(repeating: "[", count: 8) + String(repeating: "]", count: 8)
        #expect(throws: Never.self) { try parse(deepest) }
        #expect(throws: JSONParser.Failure.self) { try parse("[" + deepest + "]") }
    }

    @Test func `A payload that is too long is refused before it is read`() {
        let payload = [UInt8](repeating: UInt8(ascii: " "), count: JSONParser.maximumSize + 1)
        #expect(throws: JSONParser.Failure(text: "The payload has 16385 bytes; at most 16384 are accepted")) {
            try JSONParser.parse(payload)
        }
    }

    @Test func `Text that is not UTF-8 is refused`() {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse([0x22, 0xFF, 0xFE, 0x22]) }
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse([0x22, 0xC0, 0x80, 0x22]) }
    }

    @Test func `Random bytes never crash the parser, and what it accepts survives`() throws {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("{}[]\",:\\u0123456789abcdeftrul-+.E \n\u{1}".utf8) + [0xC3, 0xFF]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            guard let node = try? JSONParser.parse(bytes) else { continue }
            #expect(try JSONParser.parse(node.encoded) == node)
        }
    }
}
