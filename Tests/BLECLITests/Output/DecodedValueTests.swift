import FoundationEssentials
import RxBluetooth
import Testing

@testable import ble_cli

struct DecodedValueTests {
    private static let known: [(BluetoothUUID, [UInt8], String?)] = [
        (0x2A19, [87], "87 %"), (0x2A19, [], nil), (0x2A19, [1, 2], nil),
        (0x2A37, [0x00, 62], "62 bpm"), (0x2A37, [0x01, 0x2C, 0x01], "300 bpm"), (0x2A37, [0x01, 62], nil),
        (0x2A37, [], nil),
        (0x2A37, [0x10, 0x5A, 0, 8, 0, 0x10], "Heart Rate 90 bpm, RR-interval 2, 4 s"),
        (0x2A1C, [0, 0x6C, 0x01, 0, 0xFF], "36.4 °C"), (0x2A39, [1], "1"),
        (0x2A6E, [0x2E, 0x09], "23.5 °C"), (0x2A6E, [0xFB, 0xFF], "-0.05 °C"), (0x2A6E, [0x00, 0x80], "not known"),
        (0x2A6E, [1], nil),
        (0x2A00, Array("Strap".utf8), "\"Strap\""), (0x2A29, Array("A\u{1B}\"\0\0".utf8), "\"A\\u{1B}\\\"\""),
        (0x2A29, [0xFF, 0xFE], nil), (0x2901, [], "\"\""),
        (0x2902, [0, 0], "off"), (0x2902, [1, 0], "notifications on"),
        (0x2902, [3, 0], "notifications on, indications on"),
        (0x2902, [1], nil), (0xFFD1, [11], nil), (0xFFD1, Array("text".utf8), nil),
    ]

    @Test(arguments: known)
    func `Decodes well-known values`(uuid: BluetoothUUID, value: [UInt8], text: String?) {
        #expect(DecodedValue(value, of: uuid)?.display == text)
    }

    private static let guessed: [([UInt8], String?)] = [
        ([11], "11"), ([], nil), ([1, 2], nil), (Array("ab".utf8), nil), (Array("plain".utf8), "\"plain\""),
        (Array("pl\u{1B}in".utf8), nil), ([0xC3, 0x28, 0x41, 0x41], nil), ([0, 0, 0, 0], nil),
    ]

    @Test(arguments: guessed)
    func `Guesses only plain text and small numbers`(value: [UInt8], text: String?) {
        #expect(ValueText.meaning(value, of: 0xFFD1) == text)
    }

    @Test func `Prints why a value of a known characteristic is malformed`() {
        #expect(
            ValueText.line([1, 62], of: 0x2A37)
                == "013e  (not a valid Heart Rate Measurement: at least 3 bytes are needed)")
        #expect(ValueText.line([1, 2], of: 0x2A19).hasPrefix("0102  (not a valid Battery Level: "))
        #expect(ValueText.line([0xFF, 0xFE, 0xFF, 0xFE], of: 0x2A29) == "fffefffe")
    }

    private static let typed: [(String, BluetoothUUID, [UInt8]?)] = [
        ("reset", 0x2A39, [1]), ("Reset ", 0x2A39, [1]), ("1", 0x2A39, [1]), ("256", 0x2A39, nil),
        ("rest", 0x2A39, nil), ("", 0x2A39, nil), ("21.5", 0x2A6E, [0x66, 0x08]), ("21 °C", 0x2A6E, [0x34, 0x08]),
        ("-5", 0x2A6E, [0x0C, 0xFE]), ("unknown", 0x2A6E, [0x00, 0x80]), ("nan", 0x2A6E, nil), ("1e99", 0x2A6E, nil),
        ("mild", 0x2A06, [1]), ("87 %", 0x2A19, [87]), ("Strap", 0x2A00, Array("Strap".utf8)),
        ("Flags=0, Heart Rate=60", 0x2A37, [0, 60]), ("heart rate=300,flags=1", 0x2A37, [1, 0x2C, 1]),
        ("Heart Rate=60", 0x2A37, nil), ("Flags=0,Speed=1,Heart Rate=60", 0x2A37, nil), ("60", 0x2A37, nil),
        ("=,=", 0x2A37, nil), ("1", 0xFFD1, nil), ("1", "6E400003-B5A3-F393-E0A9-E50E24DCCA9E", nil),
    ]

    @Test(arguments: typed)
    func `Encodes text as the characteristic requires it`(text: String, uuid: BluetoothUUID, bytes: [UInt8]?) {
        do throws(CLIError) {
            #expect(try TypedValue.encode(text, for: uuid) == bytes)
        } catch {
            #expect(bytes == nil, "\(error.text)")
            #expect(error.code == .usage)
            #expect(!error.text.contains("\n"))
        }
    }

    @Test func `The error of a wrong value says what can be given`() {
        let error = #expect(throws: CLIError.self) { try TypedValue.encode("rest", for: 0x2A39) }
        #expect(
            error?.text.contains("Give reset or a value of Heart Rate Control Point.") == true, "\(error?.text ?? "")")
    }

    @Test func `Formats times by RFC 3339 with a fraction`() {
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1_773_500_966.535)) == "2026-03-14T15:09:26.535Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
    }
}
