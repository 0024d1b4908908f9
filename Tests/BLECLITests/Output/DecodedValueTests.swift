import FoundationEssentials
import RxBluetooth
import RxBluetoothSupport
import Testing

@testable import ble_cli

struct DecodedValueTests {
    private static let known: [(BluetoothUUID, [UInt8], String?)] = [
        (0x2A19, [87], "87 %"), (0x2A19, [], nil), (0x2A19, [1, 2], "1 %; surplus bytes 02"),
        (0x2A37, [0x00, 62], "62 bpm"), (0x2A37, [0x01, 0x2C, 0x01], "300 bpm"), (0x2A37, [0x01, 62], nil),
        (0x2A37, [], nil), (0x2A37, [0x01, 0xFF, 0xFF], "impossible; Heart Rate is impossible (65535 bpm)"),
        (
            0x2A37, [0x11, 0xFF, 0xFF, 0, 4],
            "Heart Rate impossible, RR-interval 1 s; Heart Rate is impossible (65535 bpm)"
        ),
        (0x2A37, [0x10, 0x5A, 0, 8, 0, 0x10], "Heart Rate 90 bpm, RR-interval 2, 4 s"),
        (0x2A1C, [0, 0x6C, 0x01, 0, 0xFF], "36.4 °C"), (0x2A39, [1], "1"),
        (0x2A6E, [0x2E, 0x09], "23.5 °C"), (0x2A6E, [0xFB, 0xFF], "-0.05 °C"), (0x2A6E, [0x00, 0x80], "not known"),
        (0x2A6E, [1], nil),
        (0x2A00, Array("Strap".utf8), "\"Strap\""), (0x2A29, Array("A\u{1B}\"\0\0".utf8), "\"A\\u{1B}\\\"\""),
        (0x2A29, [0xFF, 0xFE], nil), (0x2901, [], "\"\""),
        (0x2A23, [1, 2, 3, 4, 5, 6, 7, 8], "0102030405060708"), (0x2ABF, [0x2A, 0x2A], "2a2a"),
        (0x2A2A, [1, 0xFF], "01ff"),
        (
            0x2AA7, [6, 0, 0x64, 1, 10, 0], "CGM Glucose Concentration 356.0 mg/dl, Time Offset 10 min"
        ),
        (0x2B13, [0xFE], "total life of the device"), (0x2AE8, [0, 0, 0xC0, 0x7F], "not a number"),
        (0x2B05, [0xFE, 0xFF, 0xFF], "not valid"), (0x2A19, [0xFF], "reserved value 255"),
        (0x2902, [0, 0], "off"), (0x2902, [1, 0], "notifications on"),
        (0x2902, [3, 0], "notifications on, indications on"),
        (0x2902, [1], nil), (0xFFD1, [11], nil), (0xFFD1, Array("text".utf8), nil),
    ]

    @Test(arguments: known)
    func `Decodes well-known values`(uuid: BluetoothUUID, value: [UInt8], text: String?) {
        #expect(DecodedValue(value, of: uuid)?.display == text)
    }

    @Test(
        arguments: [
            (0x2A37, [0x01, 0xFF, 0xFF], "65535 bpm"), (0x2A1C, [0, 0x58, 0x02, 0, 0], "600 °C"),
        ] as [(BluetoothUUID, [UInt8], String)])
    func `An impossible number is null in JSON, and a remark`(uuid: BluetoothUUID, value: [UInt8], number: String) {
        let json = DecodedValue(value, of: uuid)?.json.text ?? ""
        #expect(json.contains(#""number":null"#))
        #expect(json.contains(#""value":null"#))
        #expect(json.contains(" is impossible (\(number))\"]"))
    }

    @Test func `A number with another meaning is null in JSON`() {
        for (uuid, bytes) in [(0x2B13, [0xFE]), (0x2AE8, [0, 0, 0xC0, 0x7F]), (0x2A6E, [0x4C, 0x95])]
            as [(BluetoothUUID, [UInt8])]
        {
            let decoded = DecodedValue(bytes, of: uuid)
            #expect(decoded?.fields.map { $0.jsonValue.text } == ["null"])
        }
    }

    @Test func `Bytes without a further structure are printed once`() {
        #expect(ValueText.line([1, 2, 3, 4, 5, 6, 7, 8], of: 0x2A23) == "0102030405060708")
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
        #expect(ValueText.line([1], of: 0x2A6E).hasPrefix("01  (not a valid Temperature: "))
        #expect(ValueText.line([0xFF, 0xFE, 0xFF, 0xFE], of: 0x2A29) == "fffefffe")
    }

    private static let typed: [(String, BluetoothUUID, [UInt8]?)] = [
        ("reset", 0x2A39, [1]), ("Reset ", 0x2A39, [1]), ("1", 0x2A39, [1]), ("256", 0x2A39, nil),
        ("rest", 0x2A39, nil), ("", 0x2A39, nil), ("21.5", 0x2A6E, [0x66, 0x08]), ("21 °C", 0x2A6E, [0x34, 0x08]),
        ("-5", 0x2A6E, [0x0C, 0xFE]), ("unknown", 0x2A6E, [0x00, 0x80]), ("nan", 0x2A6E, nil), ("1e99", 0x2A6E, nil),
        ("mild", 0x2A06, [1]), ("87 %", 0x2A19, [87]), ("Strap", 0x2A00, Array("Strap".utf8)),
        ("Flags=0, Heart Rate=60", 0x2A37, [0, 60]), ("heart rate=300,flags=1", 0x2A37, [1, 0x2C, 1]),
        ("Heart Rate=60", 0x2A37, nil), ("Flags=0,Speed=1,Heart Rate=60", 0x2A37, nil), ("60", 0x2A37, nil),
        ("Flags=0, Temperature=36.67", 0x2A1C, [0, 0x53, 0x0E, 0, 0xFE]),
        ("Flags=0, Temperature=-9223372036854775808", 0x2A1C, [0, 0x1F, 0xED, 0xF1, 0x0D]),
        ("-9223372036854775808", 0x2A6E, nil), ("255", 0x2A19, nil),
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

    /// A structure may be published although it is not in the table.
    @Test(arguments: [BluetoothUUID(0x2BC4), "12345678-0000-1000-8000-00805F9B3400"])
    func `The error of an unknown structure does not say that it is not published`(uuid: BluetoothUUID) {
        let error = #expect(throws: CLIError.self) { try TypedValue.encode("1", for: uuid) }
        #expect(error?.text == "The structure of \(uuid) is not known, so --value cannot encode it. Give the bytes.")
    }

    @Test func `Formats times by RFC 3339 with a fraction`() {
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1_773_500_966.535)) == "2026-03-14T15:09:26.535Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
    }
}
