import Testing

@testable import ble_cli

struct HexBytesTests {
    @Test(
        arguments: [
            ("0b16", [0x0B, 0x16]), ("0x0B16", [0x0B, 0x16]), ("0b 16", [0x0B, 0x16]), ("0b:16", [0x0B, 0x16]),
            ("0b-16", [0x0B, 0x16]), ("0X0b 0x16", [0x0B, 0x16]), ("  ff  ", [0xFF]), ("00", [0x00]), ("", []),
        ] as [(String, [UInt8])])
    func `Accepts unambiguous hexadecimal bytes`(text: String, bytes: [UInt8]) throws {
        #expect(try HexBytes.parse(text) == bytes)
    }

    @Test(arguments: [" ", "0", "abc", "0b1", "0b 1", "0x", "0g", "0b,16", "0x0x00", "ä0", "٣٣", "0b16!", "-"])
    func `Rejects everything else as wrong usage`(text: String) {
        #expect { try HexBytes.parse(text) } throws: { ($0 as? CLIError)?.code == .usage }
    }

    @Test func `Formats bytes in lower case`() {
        #expect(HexBytes.text([0x0B, 0xFF, 0x00]) == "0bff00")
        #expect(HexBytes.text(UInt16(0x004C)) == "004c")
    }
}
