import Testing

@testable import ble_cli

struct ValueFormatTests {
    private static let pairs: [(format: String, text: String, bytes: [UInt8])] = [
        ("hex", "0b16", [0x0B, 0x16]), ("utf8", "héllo", Array("héllo".utf8)), ("base64", "AQID/w==", [1, 2, 3, 0xFF]),
        ("base64", "", []), ("base64", "AQ==", [1]), ("base64", "AQI=", [1, 2]), ("uint8", "0 255", [0, 0xFF]),
        ("int8", "-128 127", [0x80, 0x7F]), ("uint16", "4660", [0x34, 0x12]), ("uint16be", "4660", [0x12, 0x34]),
        ("int16", "-5", [0xFB, 0xFF]), ("int16be", "-5", [0xFF, 0xFB]), ("uint24", "16777215", [0xFF, 0xFF, 0xFF]),
        ("int24", "-8388608", [0, 0, 0x80]), ("int24be", "1", [0, 0, 1]),
        ("uint32", "4294967295", [0xFF, 0xFF, 0xFF, 0xFF]), ("int32be", "-2", [0xFF, 0xFF, 0xFF, 0xFE]),
        ("uint64", "18446744073709551615", [UInt8](repeating: 0xFF, count: 8)),
        ("int64", "-9223372036854775808", [0, 0, 0, 0, 0, 0, 0, 0x80]), ("float", "21.5", [0, 0, 0xAC, 0x41]),
        ("floatbe", "21.5", [0x41, 0xAC, 0, 0]), ("double", "-0.5", [0, 0, 0, 0, 0, 0, 0xE0, 0xBF]),
        ("float", "inf nan", [0, 0, 0x80, 0x7F, 0, 0, 0xC0, 0x7F]),
    ]

    @Test(arguments: pairs.indices)
    func `Encodes and prints values the same way`(index: Int) throws {
        let (name, text, bytes) = Self.pairs[index]
        let format = try ValueFormat(parsing: name)
        #expect(try format.encode(text) == bytes)
        #expect(format.text(bytes) == text)
        #expect(format.name == name)
    }

    @Test(
        arguments: [
            ("uint16", "0x1234", [0x34, 0x12]), ("int8", "1,2, 3", [1, 2, 3]), ("UINT8", " 7\n", [7]),
            ("uint16le", "1", [1, 0]), ("int8", "+5", [5]), ("base64", "AQ", [1]), ("base64", "AQ\nID", [1, 2, 3]),
            ("float32", "1", [0, 0, 0x80, 0x3F]), ("raw", "a b", [0x61, 0x20, 0x62]), ("hex", " 01:02 ", [1, 2]),
        ] as [(String, String, [UInt8])])
    func `Accepts other forms of a value`(name: String, text: String, bytes: [UInt8]) throws {
        #expect(try ValueFormat(parsing: name).encode(text) == bytes)
    }

    @Test(
        arguments: [
            ("uint8", "256", "0 to 255"), ("uint8", "-1", "0 to 255"), ("int8", "128", "-128 to 127"),
            ("int8", "-129", "-128 to 127"), ("uint24", "16777216", "0 to 16777215"),
            ("int64", "9223372036854775808", "-9223372036854775808"),
            ("uint64", "18446744073709551616", "18446744073709551615"), ("uint16", "1.5", "0 to 65535"),
            ("uint16", "x", "0 to 65535"), ("uint16", "0x-1", "0 to 65535"), ("uint16", "0x", "0 to 65535"),
            ("int16", "", "no numbers"), ("float", "1e60", "such as 21.5"), ("double", "one", "such as 21.5"),
            ("base64", "A", "base64"), ("base64", "AQ=D", "base64"), ("base64", "====", "base64"),
            ("base64", "A===", "base64"), ("hex", "0", "two digits"),
        ])
    func `Rejects a value outside of the format with one line that names the range`(
        name: String, text: String, part: String
    ) throws {
        let format = try ValueFormat(parsing: name)
        #expect {
            try format.encode(text)
        } throws: {
            guard let error = $0 as? CLIError else { return false }
            return error.code == .usage && error.text.contains(part) && !error.text.contains("\n")
        }
    }

    @Test(arguments: ["", "uint", "uint12", "int16xe", "hexbe", "utf16", "float16"])
    func `Rejects an unknown format with a list of the formats`(name: String) {
        #expect {
            try ValueFormat(parsing: name)
        } throws: {
            ($0 as? CLIError)?.code == .usage && ($0 as? CLIError)?.text.contains("uint16") == true
        }
    }

    @Test(
        arguments: [("uint16", [1]), ("uint16", [1, 2, 3]), ("uint8", []), ("utf8", [0xC3, 0x28]), ("double", [1])]
            as [(String, [UInt8])])
    func `Prints no text for bytes that do not have the format`(name: String, bytes: [UInt8]) throws {
        #expect(try ValueFormat(parsing: name).text(bytes) == nil)
    }

    @Test func `All values of one and two bytes survive encoding and printing`() throws {
        for name in ["uint16", "int16", "uint16be", "int16be"] {
            let format = try ValueFormat(parsing: name)
            for number in stride(from: 0, through: 0xFFFF, by: 7) {
                let bytes = [UInt8(number & 0xFF), UInt8(number >> 8)]
                #expect(try format.encode(try #require(format.text(bytes))) == bytes)
            }
        }
    }
}

struct ValueArgumentTests {
    private func parse(_ text: String, _ format: ValueFormat?, content: [UInt8]) throws -> [UInt8] {
        try ValueArgument.parse(text, format) { _ throws(CLIError) in content }
    }

    @Test func `Reads files and standard input, without the line break at the end of a text`() throws {
        #expect(try parse("@x", nil, content: Array("0102\n".utf8)) == [1, 2])
        #expect(try parse("-", .utf8, content: Array("hi\r\n".utf8)) == Array("hi".utf8))
        #expect(try parse("-", .utf8, content: Array("hi\n\n".utf8)) == Array("hi\n".utf8))
        #expect(try parse("@x", .raw, content: [0xFF, 0x0A]) == [0xFF, 0x0A])
        #expect(try parse("0102", nil, content: []) == [1, 2])
    }

    @Test func `Reports content that is not text, is too long, or cannot be read`() {
        for (text, format, content) in [
            ("@x", ValueFormat.utf8, [0xFF]), ("@x", .raw, [UInt8](repeating: 0, count: 513)), ("@", .raw, []),
        ] {
            #expect { try parse(text, format, content: content) } throws: { ($0 as? CLIError)?.code == .usage }
        }
        for path in ["@/nowhere/x", "@/", "@/dev/zero"] {
            #expect {
                try ValueArgument.parse(path, .raw)
            } throws: {
                guard let error = $0 as? CLIError else { return false }
                return error.code == .usage && error.text.hasPrefix("Reading “") && !error.text.contains("\n")
            }
        }
    }
}

struct TimeSpanTests {
    @Test(
        arguments: [
            ("5s", Duration.seconds(5)), ("200ms", .milliseconds(200)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
            ("0.5", .milliseconds(500)), (" 3S ", .seconds(3)), ("1.5s", .milliseconds(1500)),
        ])
    func `Accepts durations with and without a unit`(text: String, duration: Duration) throws {
        #expect(try TimeSpan.parse(text, for: "--every") == duration)
    }

    @Test(arguments: ["", "s", "-1s", "0", "0ms", "1e3s", "0x5", "5 s x", "1d", "inf", "nan", "999999999h", "٣s"])
    func `Rejects everything else, and names the option`(text: String) {
        #expect {
            try TimeSpan.parse(text, for: "--every")
        } throws: {
            ($0 as? CLIError)?.code == .usage && ($0 as? CLIError)?.text.contains("--every") == true
        }
    }
}
