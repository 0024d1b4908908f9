import Testing

@testable import ble_cli
import RxBluetoothSupport

struct JSONTests {
    @Test(
        arguments: [
            "plain", "quote \" backslash \\ slash /", "\u{1B}[31m\u{0}\u{7F}\u{9B}\n\r\t", "\u{202E}abc\u{2066}",
            "\u{E0041}\u{10FFFF}\u{2028}", "体温計 🌡", "e\u{301}\u{302}\u{303}\u{304}", "",
            String(repeating: "long ", count: 100),
        ])
    func `A string survives the round trip and is harmless as JSON`(text: String) throws {
        let json = JSON.object([("key", .string(text))]).text
        #expect(try #require(ParsedJSON(json))["key"]?.string == text)
        #expect(!json.unicodeScalars.contains { $0.isHarmful })
    }

    @Test func `Escapes characters above U+FFFF as surrogate pairs`() {
        #expect(JSON.string("\u{E0041}").text == #""\udb40\udc41""#)
        #expect(JSON.string("\u{202E}").text == #""\u202e""#)
    }

    @Test func `Keeps the order of keys and writes every kind of value`() {
        let json = JSON.object([
            ("z", .null), ("a", .bool(true)), ("n", .number(-58)), ("l", .array([.string("x"), .object([])])),
            ("none", .string(orNull: nil)), ("zero", .number(orNull: Int16?.none)),
        ])
        #expect(json.text == #"{"z":null,"a":true,"n":-58,"l":["x",{}],"none":null,"zero":null}"#)
    }
}
