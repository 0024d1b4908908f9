import FoundationEssentials
import RxBluetooth
import Testing

@testable import ble_cli

struct ValueDecoderTests {
    private static let known: [(BluetoothUUID, [UInt8], String?)] = [
        (0x2A19, [87], "87 %"), (0x2A19, [], nil), (0x2A19, [1, 2], nil),
        (0x2A37, [0x00, 62], "62 bpm"), (0x2A37, [0x01, 0x2C, 0x01], "300 bpm"), (0x2A37, [0x01, 62], nil),
        (0x2A37, [], nil),
        (0x2A6E, [0x2E, 0x09], "23.50 °C"), (0x2A6E, [0xFB, 0xFF], "-0.05 °C"), (0x2A6E, [0x00, 0x80], "not known"),
        (0x2A6E, [1], nil),
        (0x2A00, Array("Strap".utf8), "\"Strap\""), (0x2A29, Array("A\u{1B}\"\0\0".utf8), "\"A\\u{1B}\\\"\""),
        (0x2A29, [0xFF, 0xFE], nil), (0x2901, [], "\"\""),
        (0x2902, [0, 0], "off"), (0x2902, [1, 0], "notifications on"),
        (0x2902, [3, 0], "notifications on, indications on"),
        (0x2902, [1], nil), (0xFFD1, [11], nil), (0xFFD1, Array("text".utf8), nil),
    ]

    @Test(arguments: known)
    func `Decodes well-known values`(uuid: BluetoothUUID, value: [UInt8], text: String?) {
        #expect(ValueDecoder.knownText(value, of: uuid) == text)
    }

    private static let guessed: [([UInt8], String?)] = [
        ([11], "11"), ([], nil), ([1, 2], nil), (Array("ab".utf8), nil), (Array("plain".utf8), "\"plain\""),
        (Array("pl\u{1B}in".utf8), nil), ([0xC3, 0x28, 0x41, 0x41], nil), ([0, 0, 0, 0], nil),
    ]

    @Test(arguments: guessed)
    func `Guesses only plain text and small numbers`(value: [UInt8], text: String?) {
        #expect(ValueDecoder.guess(value, of: 0xFFD1) == text)
    }

    @Test func `Formats times by RFC 3339 with a fraction`() {
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1_773_500_966.535)) == "2026-03-14T15:09:26.535Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
    }
}
