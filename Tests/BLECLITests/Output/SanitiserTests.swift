import Testing

@testable import ble_cli

struct SanitiserTests {
    @Test(
        arguments: [
            ("Heart rate strap", "Heart rate strap"),
            ("Küche – größer ✓", "Küche – größer ✓"),
            ("体温計 🌡", "体温計 🌡"),
            ("\u{1B}[2J\u{1B}]0;owned\u{07}", "\\u{1B}[2J\\u{1B}]0;owned\\u{7}"),
            ("a\nb\r\tc", "a\\u{A}b\\u{D}\\u{9}c"),
            ("\u{7F}\u{80}\u{9B}31m", "\\u{7F}\\u{80}\\u{9B}31m"),
            ("\u{202E}gpj.exe\u{202C}", "\\u{202E}gpj.exe\\u{202C}"),
            ("\u{2066}a\u{2069}\u{200E}\u{200F}\u{61C}", "\\u{2066}a\\u{2069}\\u{200E}\\u{200F}\\u{61C}"),
            (
                "a\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}\u{AD}b",
                "a\\u{200B}\\u{200C}\\u{200D}\\u{2060}\\u{FEFF}\\u{AD}b"
            ),
            ("\u{E0041}\u{2028}\u{2029}", "\\u{E0041}\\u{2028}\\u{2029}"),
            ("\u{E000}\u{10FFFF}\u{378}", "\\u{E000}\\u{10FFFF}\\u{378}"),
            ("a\u{A0}b\u{3000}c\u{3164}d", "a\\u{A0}b\\u{3000}c\\u{3164}d"),
            ("\\u{202E}", "\\\\u{202E}"),
            ("e\u{301}\u{302}\u{303}\u{304}", "e\u{301}\u{302}\\u{303}\\u{304}"),
            ("\u{301}x", "\\u{301}x"),
            ("\u{FFFD}", "\u{FFFD}"),
            ("", ""),
        ])
    func `Escapes harmful characters and keeps the rest`(raw: String, clean: String) {
        #expect(Sanitiser.clean(raw) == clean)
    }

    @Test func `Escapes every Unicode character that controls a terminal`() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let clean = Sanitiser.clean("x" + String(scalar))
            for shown in clean.unicodeScalars {
                let acts = shown.value < 0x20 || (0x7F...0x9F).contains(shown.value) || shown.properties.isBidiControl
                if acts { Issue.record("U+\(String(value, radix: 16)) gets through") }
            }
        }
    }

    @Test func `Escapes quotes if the text is printed in quotes`() {
        #expect(Sanitiser.clean("a \"b\" c", quote: true) == "a \\\"b\\\" c")
        #expect(Sanitiser.clean("a \"b\" c") == "a \"b\" c")
    }

    @Test(
        arguments: [
            "❤️", "☎︎", "1️⃣ #️⃣ *️⃣", "👩‍💻", "👨‍👩‍👧‍👦", "🧑🏽‍🚀", "❤️‍🔥", "🏳️‍🌈", "👁️‍🗨️", "🐻‍❄️", "🇩🇪", "👍🏽", "Küche 🌡️",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        ])
    func `Keeps all characters of an emoji`(emoji: String) {
        #expect(Sanitiser.clean(emoji) == emoji)
        #expect(Sanitiser.clean("a" + emoji + "b") == "a" + emoji + "b")
        #expect(Sanitiser.isHarmless(emoji))
    }

    @Test(
        arguments: [
            ("a\u{FE0F}", "a\\u{FE0F}"), ("\u{FE0F}", "\\u{FE0F}"), ("1\u{FE0F}", "1\\u{FE0F}"),
            ("1\u{FE0F}1", "1\\u{FE0F}1"), ("#\u{FE0E}\u{20E3}", "#\\u{FE0E}\u{20E3}"),
            ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\u{FE0F}"), ("❤\u{FE00}", "❤\\u{FE00}"), ("体\u{E0100}", "体\\u{E0100}"),
            ("\u{200D}", "\\u{200D}"), ("👩\u{200D}", "👩\\u{200D}"), ("👩\u{200D}a", "👩\\u{200D}a"),
            ("a\u{200D}👩", "a\\u{200D}👩"), ("1\u{200D}2", "1\\u{200D}2"), ("🇩\u{200D}🇪", "🇩\\u{200D}🇪"),
            ("👩\u{200D}\u{200D}💻", "👩\\u{200D}\\u{200D}💻"), ("👩\u{200C}💻", "👩\\u{200C}💻"),
            ("👩\u{202E}💻", "👩\\u{202E}💻"), ("👩\u{200B}💻", "👩\\u{200B}💻"),
            ("\u{1F3F4}\u{E0068}\u{E0069}\u{E007F}", "\u{1F3F4}\\u{E0068}\\u{E0069}\\u{E007F}"),
            ("👍\u{E0067}\u{E007F}", "👍\\u{E0067}\\u{E007F}"),
            ("\u{FFF9}a\u{FFFA}b\u{FFFB}", "\\u{FFF9}a\\u{FFFA}b\\u{FFFB}"), ("a\u{2800}b", "a\\u{2800}b"),
        ])
    func `Escapes the invisible parts of an emoji anywhere else`(raw: String, clean: String) {
        #expect(Sanitiser.clean(raw) == clean)
        #expect(!Sanitiser.isHarmless(raw))
    }

    @Test func `Many equal harmful characters are one escape with their number`() {
        #expect(Sanitiser.clean(String(repeating: "\0", count: 1_000) + "a") == "\\u{0}×1000a")
        #expect(Sanitiser.clean("\0\0\0\0\u{1}\0") == "\\u{0}\\u{0}\\u{0}\\u{0}\\u{1}\\u{0}")
    }
}
